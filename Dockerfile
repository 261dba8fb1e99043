# Hiddenhand in a container. Compiled code, data and open tables are kept in the volume:
#
#     docker build --tag hiddenhand .
#     docker run --rm -it --volume hiddenhand:/home/player/kept hiddenhand play kuhn_poker
#
# The table in the browser is published on the loopback of the host alone, so that nobody else in the
# network reaches it: http://127.0.0.1:8000
#
#     docker run --rm --volume hiddenhand:/home/player/kept --publish 127.0.0.1:8000:8000 hiddenhand
FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/*.whl)[web]" \
    && useradd --create-home --uid 1000 player \
    && install --directory --owner=player --group=player --mode=700 /home/player/kept
USER 1000
WORKDIR /home/player
ENV HIDDENHAND_CACHE=/home/player/kept/compiled HIDDENHAND_DATA=/home/player/kept/data
VOLUME /home/player/kept
EXPOSE 8000
ENTRYPOINT ["hiddenhand"]
# inside the container it listens to all addresses, because Docker's proxy comes from another one
CMD ["serve", "--no-browser", "--host", "0.0.0.0", "--tables", "/home/player/kept/tables.sqlite"]
