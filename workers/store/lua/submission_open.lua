-- Opens a submission. KEYS: counter, open, the bot's submissions, the owner's submissions of a day,
-- the owner's open ones, contents, the bot's version names.
-- ARGV: bot, owner, kind, source, file, version name, the content's field, milliseconds after which
-- its message counts as lost, most that are open, most a day (0 each: no limit), most that are kept,
-- the id of the one with the same content in whose place it comes ('': of none).
-- Answers {'new', id}, {'same', id}, {'name', source}, {'open', count} or {'day', count}.
local now, prefix = now_ms(), 'kb:submission:'
local known = redis.call('HGET', KEYS[6], ARGV[7])
if known and known ~= ARGV[12] and redis.call('HGET', prefix .. known, 'state') then
  return { 'same', known }
end
local named = ARGV[6] ~= '' and redis.call('HGET', KEYS[7], ARGV[6])
if named and named ~= ARGV[4] then
  return { 'name', named }
end
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now - 86400000)
local open, day = redis.call('SCARD', KEYS[5]), redis.call('ZCARD', KEYS[4])
if tonumber(ARGV[9]) > 0 and open >= tonumber(ARGV[9]) then
  return { 'open', open }
elseif tonumber(ARGV[10]) > 0 and day >= tonumber(ARGV[10]) then
  return { 'day', day }
end
local id = 's' .. string.format('%05d', redis.call('INCR', KEYS[1]))
redis.call('HSET', prefix .. id, 'id', id, 'bot', ARGV[1], 'owner', ARGV[2], 'kind', ARGV[3],
  'source', ARGV[4], 'file', ARGV[5], 'version_name', ARGV[6], 'state', 'uploaded', 'attempts', 0,
  'fence', 0, 'lease', 0, 'created_ms', now, 'changed_ms', now)
redis.call('HSET', KEYS[6], ARGV[7], id)
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[7], ARGV[6], ARGV[4])
end
redis.call('ZADD', KEYS[2], now + ARGV[8], id)
redis.call('ZADD', KEYS[4], now, id)
redis.call('SADD', KEYS[5], id)
redis.call('LPUSH', KEYS[3], id)
redis.call('LTRIM', KEYS[3], 0, ARGV[11] - 1)
return { 'new', id }
