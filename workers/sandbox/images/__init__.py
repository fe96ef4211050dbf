"""Images of bots: what may become one, how it is made, and what is refused with which word.

`dockerfile`, `reference`, `archive`, `saved` and `facts` judge what an uploader brings, and touch
neither the engine nor the network. The others speak to the engine; `service` is asked by others.
"""
