-- One request, the same each time: a POST with a body from a file, or a GET when that is empty; extra headers from a file
-- of "Name: value" lines.
-- arguments: body file, headers file ("-" for none), prefix of the idempotency keys ("-" for none)
local function read(name)
  local file = assert(io.open(name, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

function init(args)
  local body = read(args[1])
  if #body > 0 then
    wrk.method = "POST"
    wrk.body = body
    wrk.headers["Content-Type"] = "application/json"
  end
  if args[2] ~= "-" then
    for name, value in read(args[2]):gmatch("([^:\n]+): ([^\n]+)") do wrk.headers[name] = value end
  end
  if args[3] == "-" then return end
  -- Only defined here: without it wrk sends one prepared request, which costs the client least.
  local counter = 0
  function request()
    counter = counter + 1
    wrk.headers["Idempotency-Key"] = args[3] .. counter
    return wrk.format()
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\n@weft {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"max":%d,"status":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
    errors.status, errors.connect, errors.read, errors.write, errors.timeout))
end
