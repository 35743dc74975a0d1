import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { program, startError } from './program.js'

export { program }

export class MockServerError extends Error {
  name = 'MockServerError'
}

export class VerificationError extends Error {
  name = 'VerificationError'
}

export class MockServer {
  #child
  #timeout
  #ended
  url = ''
  events = []
  errors = []

  static async start(files, options = {}) {
    const server = new MockServer()
    await server.#start([files].flat(), options)
    return server
  }

  async #start(files, { port = 0, proxy, seed, options = [], cwd, timeout = 30_000 }) {
    const list = [...files, '--port', `${port}`, '--json', '--exit-on-eof']
    if (proxy !== undefined) list.push('--proxy', proxy)
    if (seed !== undefined) list.push('--seed', `${seed}`)
    this.#timeout = timeout
    // The server stops at the end of its input, which is also the end of this process.
    const path = program()
    const child = spawn(path, [...list, ...options], { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child = child
    this.#ended = new Promise((resolve) => {
      child.on('error', (error) => {
        this.errors.push(startError(path, error))
        resolve(null)
      })
      child.on('close', resolve)
    })
    createInterface({ input: child.stderr }).on('line', (line) => this.errors.push(line))
    const started = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        let event
        try {
          event = JSON.parse(line)
        } catch {
          return
        }
        this.events.push(event)
        if (event.event !== 'started') return
        this.url = event.url.replace(/\/$/, '')
        resolve()
      })
    })
    await within(timeout, Promise.race([started, this.#ended]))
    if (this.url) return
    await this.stop()
    throw new MockServerError(this.errors.join('\n') || 'mock-server did not start in time')
  }

  async stop() {
    this.#child.kill('SIGTERM')
    await within(this.#timeout, this.#ended)
    this.#child.kill('SIGKILL')
    await this.#ended
    return this.#child.exitCode
  }

  async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    await this.finish()
  }

  async finish() {
    const status = await this.stop()
    if (status === 5) {
      const failed = this.events.filter((event) => event.passed === false).map((event) => event.message)
      throw new VerificationError(failed.join('\n') || 'an exchange did not keep the contract of --check')
    }
    if (status !== 0) throw new MockServerError([`mock-server ended with status ${status}`, ...this.errors].join('\n'))
  }

  async journal() {
    const requests = []
    for (let after = 0; after !== null; ) {
      const page = await this.admin('GET', `requests?limit=500&after=${after}`)
      requests.push(...page.requests)
      after = page.next
    }
    return requests
  }

  request(id) {
    return this.admin('GET', `requests/${id}`)
  }

  async count(pattern) {
    return (await this.admin('POST', 'requests/count', pattern)).count
  }

  async verify(pattern, count = { atLeast: 1 }) {
    const result = await this.admin('POST', 'verifications', { ...pattern, ...count })
    if (!result.passed) throw new VerificationError(result.message)
  }

  clearJournal() {
    return this.admin('DELETE', 'requests')
  }

  async addStub(stub) {
    return (await this.admin('POST', 'stubs', stub)).stubs[0].id
  }

  removeStub(id) {
    return this.admin('DELETE', `stubs/${encodeURIComponent(id)}`)
  }

  async setFaults({ delay = null, fault = null, chance = null } = {}) {
    await this.admin('PATCH', 'settings', { delay, fault, faultChance: chance })
  }

  reset(...parts) {
    const body = parts.length ? Object.fromEntries(parts.map((part) => [part, true])) : undefined
    return this.admin('POST', 'reset', body)
  }

  async admin(method, path, body) {
    const name = `${method} /__mock/${path}`
    const options = { method, signal: AbortSignal.timeout(this.#timeout) }
    if (body !== undefined) {
      options.body = JSON.stringify(body)
      options.headers = { 'Content-Type': 'application/json' }
    }
    let response, text
    try {
      response = await fetch(`${this.url}/__mock/${path}`, options)
      text = await response.text()
    } catch (error) {
      throw new MockServerError(`${name}: ${error.cause?.message ?? error.message}`)
    }
    if (response.ok) return text ? JSON.parse(text) : undefined
    let detail = text
    try {
      detail = JSON.parse(text).detail ?? text
    } catch {}
    throw new MockServerError(`${name}: ${response.status}: ${detail}`)
  }
}

// Waits for a promise, but at most a number of milliseconds.
async function within(milliseconds, promise) {
  let timer
  const limit = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)))
  await Promise.race([promise, limit])
  clearTimeout(timer)
}
