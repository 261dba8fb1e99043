"""A web server for tables: play any game against a bot or a person, and watch searches think.

serving    opens the port, and runs the server until Ctrl-C
app        maps addresses to answers; `origin_guard` refuses requests from elsewhere
session    one page: a WebSocket, whose first message names the table and the seat
messages   verifies what a page sends
lobby      holds all tables; `catalogue` lists the games and the bots
table      one table: its match, in a thread, and the pages that show it
store      keeps the events of tables on disk
match      a match that can resume, and can stop at any time
views      the views of onlookers: a page gets nothing that its seat does not know
analysis   a search that thinks about a position while a page watches
review     what the moves of a match lost; `hand_history`: a match of poker as text
lab        convergence and tournaments, kept on disk; `lab_work` runs them
lab_desk   answers the messages of a page about the lab and about reviews
"""
