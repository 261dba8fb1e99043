# Hiddenhand in a container. Compiled code and data are kept in the volume /home/player/cache:
#
#     docker build --tag hiddenhand .
#     docker run --rm -it --volume hiddenhand:/home/player/cache hiddenhand play kuhn_poker
#
# What listens on a port is published on the loopback of the host alone, so that nobody else in the
# network reaches it:
#
#     docker run --rm -it --volume hiddenhand:/home/player/cache --publish 127.0.0.1:8000:8000 \
#         hiddenhand COMMAND
FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir /wheels/*.whl \
    && useradd --create-home player \
    && install --directory --owner=player --group=player --mode=700 /home/player/cache
USER player
WORKDIR /home/player
ENV HIDDENHAND_CACHE=/home/player/cache/compiled HIDDENHAND_DATA=/home/player/cache/data
VOLUME /home/player/cache
ENTRYPOINT ["hiddenhand"]
CMD ["demo"]
