/**
 * Restarts processes of one host one after the other while clients ask without a pause, and tells what did not go well.
 * The clients are what any balancer is: they take the processes in turn that said that they were ready a tenth of a
 * second ago, and go to the next only when a connection is refused. Whatever else goes wrong is a failed request.
 */
import { Effect, Fiber, Ref } from "effect"
import type { Scope } from "effect"
import type { HostProcess } from "../../transfer/testing/HostProcess.ts"

/** Asks one process at its base address; gives what is wrong with the answer, if anything is. */
export interface Ask {
  readonly name: string
  readonly at: (url: string) => Promise<string | undefined>
}

export interface Rolled {
  /** What each failed request met. */
  readonly failures: ReadonlyArray<string>
  readonly answered: number
  /** How each process ended, in turn. */
  readonly ends: ReadonlyArray<number | NodeJS.Signals>
  /** What readiness said of each process while it was ending. */
  readonly readiness: ReadonlyArray<number>
}

export interface Fixture<E> {
  /** Starts the process of that number, on its own port, and waits until it is ready. */
  readonly start: (number: number) => Effect.Effect<HostProcess, E, Scope.Scope>
  readonly count: number
  readonly readiness: string
  /** What readiness is asked with. */
  readonly headers?: Readonly<Record<string, string>>
  /** Each is asked by loops of its own, all of the time. */
  readonly asks: ReadonlyArray<Ask>
}

export const wrongUnless200 = async (response: Response): Promise<string | undefined> => {
  const text = await response.text()
  return response.status === 200 ? undefined : `${response.status} ${text.slice(0, 200)}`
}

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string") {
    return cause.code
  }
  return String(cause)
}

/** Looks at the readiness of every process, for ever; what it saw last is in `ready`. */
const watch = (urls: ReadonlyArray<string>, look: (url: string) => Promise<number>, ready: Set<string>) =>
  Effect.forEach(urls, (url) =>
    Effect.promise(() => look(url).then((status) => status === 200, () => false)).pipe(
      Effect.tap((is) => Effect.sync(() => is ? ready.add(url) : ready.delete(url))),
      Effect.andThen(Effect.sleep("100 millis")),
      Effect.forever
    ), { concurrency: "unbounded", discard: true })

/** One request: at the first of the addresses from `first` on that does not refuse the connection. */
const askAny = async (urls: ReadonlyArray<string>, first: number, ask: Ask): Promise<string | undefined> => {
  for (let tried = 0; tried < urls.length; tried += 1) {
    const url = urls[(first + tried) % urls.length] ?? ""
    try {
      const wrong = await ask.at(url)
      return wrong === undefined ? undefined : `${ask.name}: ${wrong}`
    } catch (error) {
      if (codeOf(error) !== "ECONNREFUSED") return `${ask.name}: ${codeOf(error)}`
    }
  }
  return "no process took the connection"
}

const LOOPS = 3

export const rollingRestart = <E>({ asks, count, headers = {}, readiness, start }: Fixture<E>) =>
  Effect.gen(function*() {
    const look = (url: string) => fetch(`${url}${readiness}`, { headers }).then(({ status }) => status)
    const hosts = yield* Effect.forEach(Array.from({ length: count }, (_, number) => number), start)
    const urls = hosts.map(({ url }) => url)
    const ready = new Set(urls)
    yield* Effect.forkScoped(watch(urls, look, ready))
    const failures = yield* Ref.make<ReadonlyArray<string>>([])
    const answered = yield* Ref.make(0)
    const loop = (ask: Ask, number: number) =>
      Effect.gen(function*() {
        let turn = number
        while (true) {
          turn += 1
          const first = turn
          const failure = yield* Effect.promise(() => askAny([...ready], first, ask))
          if (failure !== undefined) yield* Ref.update(failures, (all) => [...all, failure])
          else yield* Ref.update(answered, (all) => all + 1)
        }
      })
    const load = yield* Effect.forEach(
      asks.flatMap((ask) => Array.from({ length: LOOPS }, () => ask)),
      (ask, number) => Effect.forkScoped(loop(ask, number))
    )
    const ends: Array<number | NodeJS.Signals> = []
    const seen: Array<number> = []
    for (const [number, host] of hosts.entries()) {
      yield* Effect.sleep("500 millis")
      const ended = yield* Effect.forkScoped(host.kill("SIGTERM"))
      yield* Effect.sleep("200 millis")
      seen.push(yield* Effect.promise(() => look(host.url)))
      ends.push(yield* Fiber.join(ended))
      yield* start(number)
      yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => ready.has(host.url) })
    }
    yield* Effect.sleep("500 millis")
    yield* Effect.forEach(load, Fiber.interrupt, { discard: true })
    return {
      failures: yield* Ref.get(failures),
      answered: yield* Ref.get(answered),
      ends,
      readiness: seen
    } satisfies Rolled
  })
