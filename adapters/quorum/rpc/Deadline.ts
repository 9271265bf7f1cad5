/**
 * A request to an endpoint, with a deadline; taken back when nobody waits for it any more. One timer and one signal,
 * where a timeout of effect's would be two more fibers: all reading is made of this.
 */
import { Effect } from "effect"

/** Why a request has no answer. */
export type RpcFault = "timeout" | "unreachable" | "refused"

/** `deadline` in milliseconds, for the whole of it; what `isRefusal` says of a failure tells a refusal from silence. */
export const withDeadline = <A>(
  send: (signal: AbortSignal) => Promise<A>,
  deadline: number,
  isRefusal: (cause: unknown) => boolean = () => false
): Effect.Effect<A, RpcFault> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    let fault: RpcFault = "unreachable"
    const timer = setTimeout(() => {
      fault = "timeout"
      controller.abort()
    }, deadline)
    send(controller.signal).then(
      (answer) => resume(Effect.succeed(answer)),
      (cause: unknown) => resume(Effect.fail(isRefusal(cause) ? "refused" : fault))
    ).finally(() => clearTimeout(timer))
    return Effect.sync(() => {
      clearTimeout(timer)
      controller.abort()
    })
  })
