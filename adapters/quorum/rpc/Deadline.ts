/**
 * A request to an endpoint with a deadline, cancelled when no caller waits for it any more. Uses one timer and one
 * signal: a timeout of Effect's would add two fibers to each of thousands of readings.
 */
import { Context, Effect } from "effect"

/** Calls a function after so many milliseconds, unless it is cancelled: the machine's timer, or a simulation's. */
export const Timer = Context.Reference<(run: () => void, milliseconds: number) => () => void>(
  "causeway/adapters/quorum/Timer",
  {
    defaultValue: () => (run, milliseconds) => {
      const timer = setTimeout(run, milliseconds)
      return () => clearTimeout(timer)
    }
  }
)

/** Why a request has no answer. */
export type RpcFault = "timeout" | "unreachable" | "refused"

/** Nobody waits for the answer any more. */
export class GivenUp extends Error {}

/**
 * `deadline` in milliseconds, for the whole request. Afterwards fails with the result of `late`, whatever `send` does
 * then. `signal`: asked for before `send` first waits. `renew`: the deadline begins again. It throws `GivenUp` once the
 * deadline has passed or nobody waits, so that what `send` does ends.
 */
export const withinDeadline = <A, E>(
  send: (signal: () => AbortSignal, renew: () => void) => Promise<A>,
  { deadline, faultOf, late }: {
    readonly deadline: number
    readonly faultOf: (cause: unknown) => E
    readonly late: () => E
  }
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const timer = fiber.getRef(Timer)
    return Effect.callback((resume) => {
      let controller: AbortController | undefined
      let isGivenUp = false
      const giveUp = () => {
        isGivenUp = true
        controller?.abort()
      }
      const start = () =>
        timer(() => {
          resume(Effect.fail(late()))
          giveUp()
        }, deadline)
      let cancel = start()
      const renew = () => {
        if (isGivenUp) throw new GivenUp()
        cancel()
        cancel = start()
      }
      const signal = () => {
        controller ??= new AbortController()
        return controller.signal
      }
      send(signal, renew).then(
        (answer) => resume(Effect.succeed(answer)),
        (cause: unknown) => resume(Effect.fail(faultOf(cause)))
      ).finally(() => cancel())
      return Effect.sync(() => {
        cancel()
        giveUp()
      })
    })
  })

/** `deadline` in milliseconds. `faultOf` tells a refusal from silence. */
export const withDeadline = <A, Fault = never>(
  send: (signal: AbortSignal) => Promise<A>,
  deadline: number,
  faultOf: (cause: unknown) => Fault | RpcFault = () => "unreachable"
): Effect.Effect<A, Fault | RpcFault> =>
  withinDeadline<A, Fault | RpcFault>((signal) => send(signal()), {
    deadline,
    faultOf,
    late: () => "timeout"
  })
