-- Gives a bot no new matches from now on, or lets it have them again. KEYS: bot.
-- ARGV: 1 to restore it, else 0. Answers 1; 0 where there is no such bot.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
if ARGV[1] == '1' then
  redis.call('HDEL', KEYS[1], 'retired_ms')
else
  redis.call('HSETNX', KEYS[1], 'retired_ms', now_ms())
end
return 1
