-- An agent lives (lease ms), or goes (0). KEYS: agent. ARGV: session, lease ms.
-- Answers 1, or 0 where another one has come, or this one was taken for gone.
local agent = redis.call('HMGET', KEYS[1], 'session', 'until_ms')
local now = now_ms()
if agent[1] ~= ARGV[1] or tonumber(agent[2]) <= now then
  return 0
end
redis.call('HSET', KEYS[1], 'until_ms', string.format('%.0f', now + tonumber(ARGV[2])))
return 1
