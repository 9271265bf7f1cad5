/**
 * One endpoint of a rotation, for families whose reads are effects on a client of their own (`EndpointFamily`). A read
 * that fails rejects as the rotation expects it: `NodeIsBehind`, or an error with the kind of the failure alone.
 */
import { Effect, Result } from "effect"
import type { ReadFault } from "../quorum/ReadFault.ts"
import type { EndpointFault } from "./AskEndpoint.ts"
import { NodeIsBehind } from "./NodeIsBehind.ts"
import { NotAsked } from "./NotAsked.ts"

/** `behind`: the endpoint cannot answer yet, or what it shows contradicts what is known. */
export type EndpointReadFault = ReadFault | "behind"

/** A read of one endpoint. `deadline` in milliseconds, for one request. */
export type EndpointRead<Client, A> = (client: Client, deadline: number) => Effect.Effect<A, EndpointReadFault>

/** One endpoint. Rejects when it does not answer, or cannot yet. */
export interface EndpointReader<Client> {
  readonly read: <A>(read: EndpointRead<Client, A>) => Promise<A>
}

class NotAnswered extends Error {
  readonly kind: EndpointFault
  constructor(kind: EndpointFault) {
    super(kind)
    this.kind = kind
  }
}

/** An answer that cannot be true counts as a refusal: another endpoint is asked. */
const causeOf = (fault: EndpointReadFault): Error =>
  fault === "behind"
    ? new NodeIsBehind()
    : fault === "over-quota"
    ? new NotAsked()
    : new NotAnswered(fault === "timeout" || fault === "unreachable" ? fault : "refused")

/** Reads by this client. `requestMs`: the deadline of one request. */
export const readerOf = <Client>(client: Client, requestMs: number): EndpointReader<Client> => ({
  read: async (read) => Result.getOrThrowWith(await Effect.runPromise(Effect.result(read(client, requestMs))), causeOf)
})

/** The kind of a rejection of `read`. */
export const faultOf = (cause: unknown): EndpointFault => cause instanceof NotAnswered ? cause.kind : "refused"
