-- Opens a submission. KEYS: counter, open, the bot's submissions, the owner's submissions of a day,
-- the owner's open ones, contents, the bot's version names.
-- ARGV: bot, owner, kind, source, file, version name, the content's field, milliseconds after which
-- its message counts as lost, most that are open, most a day (0 each: no limit), most that are kept,
-- the id of the accepted one with the same content in whose place it comes ('': of none).
-- Answers {'new', id}, {'same', id}, {'open', count}, {'day', count}, or as misnamed does.
local now, prefix = now_ms(), 'kb:submission:'
local name, known = ARGV[6], redis.call('HGET', KEYS[6], ARGV[7])
local k = redis.call('HMGET', prefix .. (known or ''), 'state', 'version', 'version_name', 'instead')
local holder = redis.call('HGET', KEYS[7], name)
-- The same archive will be the version that it was. What a reference stands for is known when it is
-- pulled: until then it may be whatever has the name.
local likely = k[2] or redis.call('HGET', prefix .. (k[4] or ''), 'version')
if ARGV[3] == 'reference' then
  likely = not is_open(holder) and holder
end
if k[1] and known ~= ARGV[12] then
  local wrong = misnamed(KEYS[7], name, known, k[2], likely)
  if not wrong and name ~= '' and k[3] ~= '' and k[3] ~= name then
    wrong = { 'named', k[3] }
  end
  if wrong then
    return wrong
  end
  if name ~= '' then
    redis.call('HSET', prefix .. known, 'version_name', name)
    redis.call('HSETNX', KEYS[7], name, k[1] == 'accepted' and k[2] or known)
  end
  return { 'same', known }
end
local wrong = misnamed(KEYS[7], name, nil, nil, likely)
if wrong then
  return wrong
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
  'source', ARGV[4], 'file', ARGV[5], 'version_name', name, 'state', 'uploaded', 'attempts', 0,
  'fence', 0, 'lease', 0, 'created_ms', now, 'changed_ms', now,
  'instead', k[1] == 'accepted' and known or '')
redis.call('HSET', KEYS[6], ARGV[7], id)
if name ~= '' then
  redis.call('HSETNX', KEYS[7], name, id)
end
redis.call('ZADD', KEYS[2], now + ARGV[8], id)
redis.call('ZADD', KEYS[4], now, id)
redis.call('SADD', KEYS[5], id)
redis.call('LPUSH', KEYS[3], id)
redis.call('LTRIM', KEYS[3], 0, ARGV[11] - 1)
return { 'new', id }
