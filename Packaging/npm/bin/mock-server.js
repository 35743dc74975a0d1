#!/usr/bin/env node
// Runs the program with the arguments of this process.
import { spawn } from 'node:child_process'
import { program, startError } from '../program.js'

let path
try {
  path = program()
} catch (error) {
  console.error(`mock-server: ${error.message}`)
  process.exit(1)
}
const child = spawn(path, process.argv.slice(2), { stdio: 'inherit' })
// A signal to this process is one to the program. Ctrl-C of a terminal reaches both.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
process.on('SIGINT', () => {})
child.on('error', (error) => {
  console.error(`mock-server: ${startError(path, error)}`)
  process.exitCode = 1
})
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
