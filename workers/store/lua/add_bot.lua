-- Registers a bot or a version of it. KEYS: bot, versions, parents, bots, folded.
-- ARGV: name, folded name, owner, visibility, digest.
-- Answers {'added'}, {'same'} (a version that was there plays again), or {'taken', by}.
local name, fold, owner, digest = ARGV[1], ARGV[2], ARGV[3], ARGV[5]
local holder = redis.call('HGET', KEYS[5], fold)
if holder and holder ~= name then
  return { 'taken', holder }
end
local bot = redis.call('HMGET', KEYS[1], 'owner', 'version')
if bot[1] and bot[1] ~= owner then
  return { 'taken', name }
end
if redis.call('HEXISTS', KEYS[3], digest) == 1 then
  redis.call('HSET', KEYS[1], 'version', digest)
  return { 'same' }
end
if not bot[1] then
  local now = now_ms()
  redis.call('HSET', KEYS[5], fold, name)
  redis.call('ZADD', KEYS[4], now, name)
  redis.call('HSET', KEYS[1], 'owner', owner, 'visibility', ARGV[4], 'added_ms', now)
end
redis.call('RPUSH', KEYS[2], digest)
redis.call('HSET', KEYS[3], digest, bot[2] or '')
redis.call('HSET', KEYS[1], 'version', digest)
return { 'added' }
