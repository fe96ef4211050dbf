-- Lets a paused tournament go on, with what was set aside. KEYS: tournament, topup, due. ARGV: id.
-- Answers the state before.
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'paused' then
  return state
end
local now, prefix = now_ms(), ARGV[1] .. '.'
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], PARKED, PARKED)) do
  if string.sub(id, 1, #prefix) == prefix then
    redis.call('ZADD', KEYS[3], now, id)
  end
end
redis.call('HSET', KEYS[1], 'state', 'running')
redis.call('SADD', KEYS[2], ARGV[1])
return state
