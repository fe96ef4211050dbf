-- Registers a bot or a version of it. KEYS: bot, versions, parents, bots, folded.
-- ARGV: name, folded name, owner, digest. Answers as add_bot does.
return add_bot(KEYS, unpack(ARGV))
