"""ArenaService: what people and their tools ask of an arena. One module a subject.

Callers are not trusted: every field is checked here, whatever the command line has checked before.
No Redis key, no Celery call and no process is in this package.
"""
