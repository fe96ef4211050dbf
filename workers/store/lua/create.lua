-- Creates a tournament. KEYS: tournament, tournaments, folded, topup.
-- ARGV: id, folded id, then fields and values. Answers '' or the name that is in the way.
local holder = redis.call('HGET', KEYS[3], ARGV[2])
if holder then
  return holder
end
local now = now_ms()
redis.call('HSET', KEYS[3], ARGV[2], ARGV[1])
-- By number of creation: several may be created in one millisecond.
redis.call('ZADD', KEYS[2], redis.call('ZCARD', KEYS[2]) + 1, ARGV[1])
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'state', 'running', 'created_ms', now, 'over_ms', 0,
  'next', 0, 'recorded', 0, 'dead', 0, 'void', 0, unpack(ARGV, 3))
redis.call('SADD', KEYS[4], ARGV[1])
return ''
