"""A table in the browser: play any game against any bot or person, and see searches think.

serving    opens the port, and runs the server until Ctrl-C
app        which address is answered by what; `guarding` refuses what does not belong here
session    one page: a WebSocket, whose first message says which seat of which table it holds
messages   what a page may say, verified
hall       all tables; `catalogue` says which games and bots there are
table      one table: its match, in a thread, and the pages that look at it
store      what was opened and moved at each table, on disk as it happens
match      a match that can be taken up where it stood, and stopped at any time
views      what each onlooker is shown; nothing that a seat does not know goes to its pages
analysis   a search that thinks about a position while somebody watches
review     what the moves of a match lost; `hand_history`: a match of poker as text
lab        convergence and tournaments, kept and opened again; `lab_work` does them
lab_desk   what a page may ask of the lab and of a review
"""
