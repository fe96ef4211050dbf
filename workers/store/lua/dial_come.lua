-- An agent of a bot comes, another that it had is sent away; a bot that is quiet stays so. KEYS: agent.
-- ARGV: session, slots, lease ms.
local now = now_ms()
local ends = tonumber(redis.call('HGET', KEYS[1], 'until_ms') or 0)
if ends <= now then
  redis.call('HSET', KEYS[1], 'since_ms', string.format('%.0f', now))
end
redis.call('HSET', KEYS[1], 'session', ARGV[1], 'slots', ARGV[2],
  'until_ms', string.format('%.0f', now + tonumber(ARGV[3])))
return 1
