// Tests of the npm package, for `node --test` in a folder in which it is installed.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { MockServer, MockServerError, VerificationError } from 'catena-mock-server'

// Runs a test with a server of its own.
function withServer(name, body) {
  test(name, async () => {
    const server = await MockServer.start('stubs.json', { cwd: import.meta.dirname ?? '.', seed: 7 })
    try {
      await body(server)
    } finally {
      assert.equal(await server.stop(), 0)
    }
  })
}

const order = (server, product) =>
  fetch(`${server.url}/orders`, {
    method: 'POST', body: JSON.stringify({ product }), headers: { 'Content-Type': 'application/json' },
  })

withServer('a server responds with its stubs', async (server) => {
  const response = await fetch(`${server.url}/boards/7`)
  assert.deepEqual(await response.json(), { id: 7, title: 'Balsa Fish' })
})

withServer('the journal has the requests in order', async (server) => {
  for (const product of [1, 2]) await order(server, product)
  const journal = await server.journal()
  assert.deepEqual(journal.map((request) => [request.method, request.path, request.status]), [
    ['POST', '/orders', 201], ['POST', '/orders', 201],
  ])
  const { request } = await server.request(journal[1].id)
  assert.deepEqual(JSON.parse(request.body.text), { product: 2 })
  await server.clearJournal()
  assert.deepEqual(await server.journal(), [])
})

withServer('a verification passes or names the nearest request', async (server) => {
  await order(server, 7)
  await server.verify({ method: 'POST', path: '/orders' }, { times: 1 })
  await server.verify({ path: '/orders', when: { json: { product: 7 } } })
  assert.equal(await server.count({ path: '/orders' }), 1)
  await assert.rejects(server.verify({ path: '/orders', when: { json: { product: 8 } } }), VerificationError)
})

withServer('stubs and faults change and are reset', async (server) => {
  const id = await server.addStub({ method: 'GET', path: '/boards/7', status: 503 })
  assert.equal((await fetch(`${server.url}/boards/7`)).status, 503)
  await server.removeStub(id)
  await server.setFaults({ fault: 'close' })
  await assert.rejects(fetch(`${server.url}/boards/7`))
  await server.reset()
  assert.equal((await fetch(`${server.url}/boards/7`)).status, 200)
  assert.equal((await server.journal()).length, 1)
})

test('a failed check of an option is an error at the end', async () => {
  await writeFile('expected.json', '[{"path": "/orders", "times": 1}]')
  const start = () => MockServer.start('stubs.json', { options: ['--verify', 'expected.json'] })
  const server = await start()
  await order(server, 7)
  await server.finish()
  await assert.rejects((await start()).finish(), (error) => {
    assert(error instanceof VerificationError)
    assert.match(error.message, /expected exactly 1 request/)
    return true
  })
})

test('an invalid file is an error with its messages', async () => {
  await assert.rejects(MockServer.start('missing.json'), (error) => {
    assert(error instanceof MockServerError)
    assert.match(error.message, /missing\.json: no such file/)
    return true
  })
})

test('a server stops with a process that is killed', async () => {
  const code = `
    import { MockServer } from 'catena-mock-server'
    console.log((await MockServer.start('stubs.json')).url)
    process.kill(process.pid, 'SIGKILL')`
  const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' })
  assert.equal(ended.signal, 'SIGKILL')
  const url = ended.stdout.trim()
  assert.match(url, /^http:/)
  for (const end = Date.now() + 30_000; Date.now() < end; await setTimeout(50)) {
    if (!(await fetch(url).catch(() => null))) return
  }
  assert.fail('the server runs')
})

test('the command of the package runs the program', () => {
  assert.match(execFileSync('npx', ['--no-install', '--offline', 'mock-server', '--version'], { encoding: 'utf8' }), /^mock-server \d/)
})
