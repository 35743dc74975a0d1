import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns the path of the program: that of the variable MOCK_SERVER, or else the one in this package. */
export function program() {
  if (process.env.MOCK_SERVER) return process.env.MOCK_SERVER
  const platform = process.platform === 'darwin' ? 'darwin' : `${process.platform}-${process.arch}`
  const path = fileURLToPath(new URL(`./bin/${platform}/mock-server`, import.meta.url))
  if (!existsSync(path)) {
    throw new Error(`this package of catena-mock-server has no program for ${platform}; set MOCK_SERVER to its path`)
  }
  return path
}

/** Returns the text of an error of the start of the program. */
export function startError(path, error) {
  return `${path}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`
}
