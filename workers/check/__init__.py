"""What a bot must show before it is let in: played against the packaged bots, judged row by row.

`knockbox check` and the arena that a bot is submitted to call the same `course.check`. It plays
through the referee and a launcher that it is given, and knows no store and no command line.
"""
