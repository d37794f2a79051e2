/**
 * The script of the explorer: plain JavaScript without backticks. It calls only this API, keeps the
 * credential while the tab is open, and inserts all content as text.
 */
export const script = String.raw`
'use strict';
(function () {
  var at = function (id) { return document.getElementById(id); };
  var endpoint = location.pathname;
  var running = null;
  var types = null;
  var trail = [];

  function make(tag, className, text) {
    var element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function credential() { return sessionStorage.getItem('weft.credential'); }
  function headersFor(accept) {
    var headers = { 'content-type': 'application/json', accept: accept };
    var given = credential();
    if (given && given.startsWith('key ')) headers['x-api-key'] = given.slice(4);
    else if (given) headers.authorization = 'Bearer ' + given;
    return headers;
  }

  // ---- the result

  var token = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;
  function show(value, append) {
    var text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    var result = at('result');
    if (!append) result.textContent = '';
    else if (result.textContent !== '') result.append('\n\n');
    if (text.length > 200000) { result.append(text); return; }
    var last = 0;
    text.replace(token, function (all, string, colon, number, index) {
      result.append(text.slice(last, index));
      result.append(make('span', number !== undefined ? 'number' : colon !== undefined ? 'key' : 'string', string || number));
      if (colon !== undefined) result.append(colon);
      last = index + all.length;
      return all;
    });
    result.append(text.slice(last));
    while (result.childNodes.length > 20000) result.firstChild.remove();
    if (append) result.scrollTop = result.scrollHeight;
  }
  function say(text, isBad) {
    at('status').textContent = text;
    at('status').classList.toggle('bad', isBad === true);
  }

  // ---- running

  function asked() {
    var variables = at('variables').value.trim();
    return { query: at('query').value, variables: variables === '' ? {} : JSON.parse(variables) };
  }
  function isSubscription(query) { return /(^|[\s}])subscription\b/.test(query.replace(/#.*|"(?:\\.|[^"\\])*"/g, '')); }

  async function run() {
    if (running !== null) { running.abort(); return; }
    var body;
    try { body = asked(); } catch (error) { say('The variables are not valid JSON: ' + error.message, true); return; }
    running = new AbortController();
    at('run').textContent = 'Stop';
    say('…');
    var began = performance.now();
    try {
      var streams = isSubscription(body.query);
      var response = await fetch(endpoint, {
        method: 'POST',
        headers: headersFor(streams ? 'text/event-stream' : 'application/graphql-response+json'),
        body: JSON.stringify(body),
        signal: running.signal,
      });
      var left = response.headers.get('x-ratelimit-remaining');
      var note = response.status + (left === null ? '' : ' · ' + left + ' requests left');
      if (streams && (response.headers.get('content-type') || '').startsWith('text/event-stream')) await follow(response, note);
      else {
        show(JSON.parse(await response.text()));
        say(note + ' · ' + Math.round(performance.now() - began) + ' ms', !response.ok);
      }
    } catch (error) {
      say(error.name === 'AbortError' ? 'Stopped.' : String(error.message), error.name !== 'AbortError');
    }
    running = null;
    at('run').textContent = 'Run';
  }

  async function follow(response, note) {
    var reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    var text = '';
    var count = 0;
    show('');
    say(note + ' · listening');
    for (;;) {
      var piece = await reader.read();
      if (piece.done) break;
      text += piece.value;
      var events = text.split('\n\n');
      text = events.pop();
      events.forEach(function (event) {
        var name = /^event: (.*)$/m.exec(event);
        var data = /^data: (.*)$/m.exec(event);
        if (name && name[1] === 'next' && data) { show(JSON.parse(data[1]), true); say(note + ' · ' + ++count + ' events'); }
      });
    }
    say(note + ' · ended after ' + count + ' events');
  }

  // ---- the schema

  var introspection = '{ __schema { queryType { name } mutationType { name } subscriptionType { name } types { kind name description fields { name description args { name description type { ...T } } type { ...T } } inputFields { name description type { ...T } } } } } fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }';
  function written(type) {
    if (type.kind === 'NON_NULL') return written(type.ofType) + '!';
    if (type.kind === 'LIST') return '[' + written(type.ofType) + ']';
    return type.name;
  }
  function named(type) { return type.ofType ? named(type.ofType) : type.name; }

  async function loadSchema() {
    var response = await fetch(endpoint, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: introspection }) });
    var answer = await response.json();
    if (!answer.data) { at('schema').append(make('p', '', 'Introspection is disabled. The schema is available at /v1/schema.graphql.')); return; }
    types = {};
    answer.data.__schema.types.forEach(function (type) { types[type.name] = type; });
    trail = ['Query', 'Mutation', 'Subscription'].filter(function (name) { return types[name]; }).slice(0, 1);
    drawSchema('');
  }

  function link(name, text) {
    var button = make('button', 'link', text || name);
    button.type = 'button';
    button.addEventListener('click', function () { at('search').value = ''; trail.push(name); drawSchema(''); });
    return button;
  }
  function typeLink(type) {
    var line = document.createDocumentFragment();
    var parts = written(type).split(named(type));
    line.append(parts[0], types[named(type)].fields || types[named(type)].inputFields ? link(named(type)) : named(type), parts[1]);
    return line;
  }
  function fieldLine(owner, field) {
    var line = make('div', 'field');
    if (owner === 'Query' || owner === 'Mutation' || owner === 'Subscription') {
      var use = make('button', 'use', 'Use');
      use.type = 'button';
      use.addEventListener('click', function () { useField(owner, field); });
      line.append(use);
    }
    line.append(field.name);
    if (field.args && field.args.length > 0) {
      line.append('(');
      field.args.forEach(function (arg, i) { line.append(i > 0 ? ', ' : '', arg.name + ': ', typeLink(arg.type)); });
      line.append(')');
    }
    line.append(': ', typeLink(field.type));
    if (field.description) line.append(make('small', '', field.description));
    return line;
  }

  function drawSchema(search) {
    var box = at('schema');
    box.textContent = '';
    if (search !== '') {
      var wanted = search.toLowerCase();
      var found = 0;
      Object.values(types).forEach(function (type) {
        (type.fields || type.inputFields || []).forEach(function (field) {
          if (type.name.startsWith('__') || found > 60) return;
          if ((type.name + '.' + field.name).toLowerCase().indexOf(wanted) === -1) return;
          found++;
          var line = fieldLine(type.name, field);
          line.prepend(link(type.name), '.');
          box.append(line);
        });
      });
      if (found === 0) box.append(make('p', '', 'No matching fields.'));
      return;
    }
    var crumbs = make('div', 'crumbs');
    ['Query', 'Mutation', 'Subscription'].forEach(function (name) { if (types[name]) crumbs.append(link(name)); });
    box.append(crumbs);
    var type = types[trail[trail.length - 1]];
    box.append(make('h3', '', type.name));
    if (type.description) box.append(make('p', '', type.description));
    (type.fields || type.inputFields || []).forEach(function (field) { box.append(fieldLine(type.name, field)); });
  }

  /** A query for a root field: its arguments as variables, the plain fields of what it gives. */
  function useField(owner, field) {
    var declared = field.args.map(function (arg) { return '$' + arg.name + ': ' + written(arg.type); });
    var passed = field.args.map(function (arg) { return arg.name + ': $' + arg.name; });
    var head = owner.toLowerCase() + (declared.length > 0 ? ' (' + declared.join(', ') + ')' : '');
    at('query').value = head + ' {\n  ' + field.name + (passed.length > 0 ? '(' + passed.join(', ') + ')' : '') + printSelection(named(field.type), 1) + '\n}';
    var values = {};
    field.args.forEach(function (arg) { if (arg.type.kind === 'NON_NULL') values[arg.name] = types[named(arg.type)].inputFields ? {} : ''; });
    at('variables').value = JSON.stringify(values, null, 2);
    at('query').focus();
  }
  function printSelection(name, depth) {
    var type = types[name];
    if (!type.fields) return '';
    var pad = '  '.repeat(depth + 1);
    var lines = [];
    type.fields.forEach(function (field) {
      var inner = types[named(field.type)];
      if (!inner.fields && (!field.args || field.args.length === 0)) lines.push(pad + field.name);
      else if (depth === 1 && type.name.endsWith('Page')) lines.push(pad + field.name + printSelection(inner.name, 2));
    });
    if (lines.length === 0) lines.push(pad + '__typename');
    return ' {\n' + lines.join('\n') + '\n' + '  '.repeat(depth) + '}';
  }

  // ---- who is calling

  function drawCredential() {
    var isKnown = credential() !== null;
    at('login').hidden = isKnown;
    at('known').hidden = !isKnown;
    at('who').textContent = sessionStorage.getItem('weft.who') || '';
  }
  function keep(value, who) {
    sessionStorage.setItem('weft.credential', value);
    sessionStorage.setItem('weft.who', who);
    drawCredential();
  }
  async function logIn(event) {
    event.preventDefault();
    var email = at('email').value.trim();
    var secret = at('password').value;
    at('password').value = '';
    if (email === '') { keep(secret.split('.').length === 3 ? secret : 'key ' + secret, 'With a token or key'); return; }
    var response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'mutation ($input: LoginInput!) { login(input: $input) { token user { email } } }', variables: { input: { email: email, password: secret } } }),
    });
    var answer = await response.json();
    if (answer.data && answer.data.login) { keep(answer.data.login.token, answer.data.login.user.email); say('Logged in.'); }
    else say(answer.errors[0].message, true);
  }

  // ---- wiring

  at('run').addEventListener('click', run);
  at('login').addEventListener('submit', function (event) { logIn(event).catch(function (error) { say(String(error.message), true); }); });
  at('leave').addEventListener('click', function () {
    sessionStorage.removeItem('weft.credential');
    sessionStorage.removeItem('weft.who');
    drawCredential();
  });
  at('search').addEventListener('input', function () { if (types) drawSchema(at('search').value.trim()); });
  ['query', 'variables'].forEach(function (id) {
    at(id).addEventListener('keydown', function (event) {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
    });
  });
  drawCredential();
  loadSchema().catch(function () { say('The schema could not be loaded.', true); });
})();
`;
