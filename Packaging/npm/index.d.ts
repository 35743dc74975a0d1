/** A JSON value. */
export type JSONValue = null | boolean | number | string | JSONValue[] | { [name: string]: JSONValue }

/** The path of the program: that of the variable MOCK_SERVER, or else the one in this package. */
export function program(): string

/** The server did not start, or refused a request of the admin API. */
export class MockServerError extends Error {}

/**
 * A check failed: the server received another number of requests than expected, with the nearest ones in the message, or an option
 * such as `--verify` found a problem when it stopped.
 */
export class VerificationError extends Error {}

export interface MockServerOptions {
  /** The port. 0, the default, chooses a free one. */
  port?: number
  /** The server that receives all requests without a stub. */
  proxy?: string
  /** The seed of random values. */
  seed?: number
  /** Further options of the command line, such as `['--fault', 'reset:0.1']`. */
  options?: string[]
  /** The folder of the relative names of files. By default that of this process. */
  cwd?: string
  /** The maximum time in milliseconds for the start, for a request of the admin API, and for the stop. 30,000 by default. */
  timeout?: number
}

/** A pattern of requests, with the conditions of a stub file. */
export interface RequestPattern {
  method?: string
  /** The path, such as `/orders/{id}`. */
  path?: string
  when?: { [name: string]: JSONValue }
}

/** Exactly one expected number of requests. */
export type RequestCount = { times: number } | { atLeast: number } | { atMost: number }

/** A request in the journal, without its bodies. */
export interface ReceivedRequest {
  id: number
  time: string
  method: string
  url: string
  path: string
  /** The status of the response, or null before it and after a fault. */
  status: number | null
  /** The stub that responded, or null. */
  stub: string | null
  [name: string]: JSONValue
}

/** A mock server in a process of its own. */
export class MockServer {
  /**
   * Starts a server, and resolves when clients can connect. It also ends with this process.
   *
   * @param files Stub files, OpenAPI documents and recordings. The first one takes precedence.
   * @throws MockServerError with the messages of the program if it ends or does not start in time.
   */
  static start(files: string | string[], options?: MockServerOptions): Promise<MockServer>
  /** The address without a slash at its end, such as `http://127.0.0.1:49152`. */
  readonly url: string
  /** The lines of the program's output, such as one for each request. */
  readonly events: { event: string; [name: string]: JSONValue }[]
  /** The lines of the program's error output: errors and warnings. */
  readonly errors: string[]
  /**
   * Stops the server after the responses in progress. Repeated calls have no effect.
   *
   * @returns The exit status: 4 if a file could not be saved, 5 if a check failed, and otherwise 0.
   */
  stop(): Promise<number | null>
  /**
   * Stops the server, as the end of an `await using` block does.
   *
   * @throws VerificationError if a check of an option such as `--verify` failed.
   * @throws MockServerError if the server ended with another status than 0.
   */
  finish(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>

  /** Returns the received requests in the order of arrival, without their bodies. */
  journal(): Promise<ReceivedRequest[]>
  /** Returns a received request with its bodies, times and the differences from the nearest stubs. */
  request(id: number): Promise<{ [name: string]: JSONValue }>
  /** Returns the number of received requests that match a pattern. */
  count(pattern: RequestPattern): Promise<number>
  /**
   * Checks the number of received requests that match a pattern.
   *
   * @param count The expected number. By default at least one.
   * @throws VerificationError with the nearest requests if another number has been received.
   */
  verify(pattern: RequestPattern, count?: RequestCount): Promise<void>
  /** Forgets the received requests. */
  clearJournal(): Promise<void>

  /** Adds a stub, a route of a stub file, before the others. Returns its identifier. */
  addStub(stub: { [name: string]: JSONValue }): Promise<string>
  /** Removes a stub. */
  removeStub(id: string): Promise<void>
  /** Replaces the delays and faults of all stubs. Without an argument, they have their own ones again. */
  setFaults(faults?: { delay?: string; fault?: JSONValue; chance?: number }): Promise<void>
  /** Restores the initial state, or parts of it. */
  reset(...parts: ('stubs' | 'requests' | 'scenarios' | 'resources' | 'settings')[]): Promise<void>
  /**
   * Sends a request to the admin API.
   *
   * @param path The path below `/__mock/`, such as `scenarios`.
   * @returns The JSON of the response, or undefined if it is empty.
   * @throws MockServerError if the server refuses the request.
   */
  admin(method: string, path: string, body?: JSONValue): Promise<any>
}
