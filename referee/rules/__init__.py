"""The rules of the Oklahoma Gin family: pure, standard library only, no I/O, no clock, no chance.

Whatever is random (shuffles, first dealer) is handed in; whatever happens is an event.
"""
