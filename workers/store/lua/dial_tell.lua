-- Keeps what an agent says of an offer, while it is open; that its bot has ended is the last word.
-- KEYS: offers, told. ARGV: offer, word. Answers 1, or 0 where the offer is over.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
if string.sub(redis.call('HGET', KEYS[2], ARGV[1]) or '', 1, 6) ~= 'ended ' then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
return 1
