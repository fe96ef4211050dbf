-- Pauses a tournament: no match of it is begun any more. What is queued is set aside when a worker
-- asks for it (claim.lua). KEYS: tournament, topup. ARGV: id. Answers the state before.
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'running' then
  redis.call('HSET', KEYS[1], 'state', 'paused')
  redis.call('SREM', KEYS[2], ARGV[1])
end
return state
