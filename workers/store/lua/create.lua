-- Creates a tournament. KEYS: tournament, tournaments, folded, topup.
-- ARGV: id, folded id, then fields and values. Answers '' or the name that is in the way.
local holder = redis.call('HGET', KEYS[3], ARGV[2])
if holder then
  return holder
end
redis.call('HSET', KEYS[3], ARGV[2], ARGV[1])
create_tournament(KEYS[1], KEYS[2], KEYS[4], ARGV[1], now_ms(), { unpack(ARGV, 3) })
return ''
