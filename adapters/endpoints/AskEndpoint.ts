/**
 * Calls one endpoint of a chain. Before its first use, and after every failure, the endpoint must confirm that it
 * serves the right chain.
 *
 * SECURITY: errors of nodes and clients can contain URLs with keys. Only the kind of a failure leaves this file.
 */
import { Clock, Duration, Effect, Schedule } from "effect"
import type { Redacted, Scope } from "effect"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { ChainFault } from "../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Contradicting } from "../../src/domain/quorum/Contradictions.ts"
import { hostOfUrl } from "../quorum/Endpoints.ts"
import { withinDeadline } from "../quorum/rpc/Deadline.ts"
import { NodeIsBehind } from "./NodeIsBehind.ts"
import { NotAsked } from "./NotAsked.ts"

/** Why a call failed, as far as it concerns the endpoint. */
export type EndpointFault = Extract<ChainFault, "timeout" | "unreachable" | "refused">

/** What a family defines. `Client` calls one endpoint. */
export interface EndpointFamily<Client> {
  /** Makes no request. The scope closes the connections. `requestMs` is the deadline of one request. */
  readonly open: (url: Redacted.Redacted, requestMs: number) => Effect.Effect<Client, never, Scope.Scope>
  /** Asks the endpoint whether it is on this chain. */
  readonly isOn: (client: Client, chain: Chain) => Promise<boolean>
  readonly faultOf: (cause: unknown) => EndpointFault
}

/**
 * A read whose length strangers decide, like a scan, goes in steps.
 *
 * SECURITY: each step has the whole deadline of an endpoint, so that a slow read ends, too (QUORUM-14). Without steps, a scan that
 * takes longer than the deadline begins again for ever, and whoever fills blocks with dust stops the chain's watcher.
 */
export interface Steps {
  /** A step is done. Throws once nobody waits for the read any more: its work must end, because the next try begins. */
  readonly done: () => void
}

/** One read of an endpoint by a client. */
export type Run<Client, A> = (client: Client, steps: Steps) => Promise<A>

/** Milliseconds: for one request, and for all requests of one logical read, or of one of its steps, to one endpoint. */
export interface Deadlines {
  readonly requestMs: number
  readonly endpointMs: number
}

export const usual: Deadlines = { requestMs: 4_000, endpointMs: 8_000 }

/** An unreachable endpoint is retried after this delay, and once more after twice the delay. */
const AGAIN_AFTER = Duration.millis(75)

/** Milliseconds for which an endpoint comes last after a failure. */
const REST_MS = 30_000

class WrongChain extends Error {}

export interface Endpoint<Client> {
  readonly client: Client
  readonly host: string
  /** True while the endpoint is known to be on the right chain. */
  verified: boolean
  /** The other endpoints come first until this time, in milliseconds. */
  restsUntil: number
  /** Until this time, in milliseconds, it is not used for single reads (QUORUM-6). */
  leftOutUntil: number
  /** Its contradictions of the quorum since it last agreed; undefined when there are none. */
  contradicting: Contradicting | undefined
}

/** Opens an endpoint whose chain is not verified yet. The scope closes its connections. */
export const openEndpoint = <Client>(family: EndpointFamily<Client>, url: Redacted.Redacted, requestMs: number) =>
  Effect.map(
    family.open(url, requestMs),
    (client): Endpoint<Client> => ({
      client,
      host: hostOfUrl(url),
      verified: false,
      restsUntil: 0,
      leftOutUntil: 0,
      contradicting: undefined
    })
  )

/** The endpoints in order of preference: resting ones last, without those that are left out. */
export const inOrder = <Client>(
  endpoints: ReadonlyArray<Endpoint<Client>>,
  now: number
): ReadonlyArray<Endpoint<Client>> =>
  endpoints.filter(({ leftOutUntil }) => leftOutUntil <= now).toSorted((one, other) =>
    Number(one.restsUntil > now) - Number(other.restsUntil > now)
  )

/** Only these faults move an endpoint to the end. A node that refuses a call, or is behind, keeps its place. */
const isUseless = (kind: ChainFault): boolean => kind === "timeout" || kind === "unreachable" || kind === "wrong-chain"

const rest = <Client>(endpoint: Endpoint<Client>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    endpoint.restsUntil = now + REST_MS
  })

/**
 * A single request that is dropped or rate-limited says nothing about the chain, so it is retried a little later. The
 * schedule is made once one has failed.
 */
export const again = <A>(asked: Effect.Effect<A, ChainUnavailable>) =>
  asked.pipe(Effect.catch((error) => {
    let first: ChainUnavailable | undefined = error
    const retried = Effect.suspend(() => {
      const failed = first
      first = undefined
      return failed === undefined ? asked : Effect.fail(failed)
    })
    return Effect.retry(retried, {
      schedule: Schedule.exponential(AGAIN_AFTER).pipe(Schedule.jittered),
      times: 2,
      while: ({ kind }) => kind === "unreachable"
    })
  }))

export const unavailableOn = (chain: Chain, operation: string) => (kind: ChainFault) =>
  new ChainUnavailable({ chain: chain.slug, operation, kind })

/** Calls one endpoint of the family within its own deadline. */
export const askingWith = <Client>({ faultOf, isOn }: EndpointFamily<Client>, endpointMs: number) => {
  const ask = async <A>(endpoint: Endpoint<Client>, chain: Chain, run: Run<Client, A>, steps: Steps): Promise<A> => {
    if (!endpoint.verified) {
      if (!(await isOn(endpoint.client, chain))) throw new WrongChain()
      endpoint.verified = true
    }
    try {
      return await run(endpoint.client, steps)
    } catch (error) {
      // The next answer from this address may come from another node.
      if (!(error instanceof NotAsked)) endpoint.verified = false
      throw error
    }
  }

  const kindOf = (cause: unknown): ChainFault => {
    if (cause instanceof NodeIsBehind) return "behind"
    return cause instanceof WrongChain ? "wrong-chain" : faultOf(cause)
  }

  return <A>(endpoint: Endpoint<Client>, chain: Chain, operation: string, run: Run<Client, A>) => {
    const unavailable = unavailableOn(chain, operation)
    return withinDeadline((_, renew) => ask(endpoint, chain, run, { done: renew }), {
      deadline: endpointMs,
      faultOf: (cause) => unavailable(kindOf(cause)),
      late: () => unavailable("timeout")
    }).pipe(
      Effect.tapError(({ kind }) => isUseless(kind) ? rest(endpoint) : Effect.void)
    )
  }
}

/** Calls one endpoint, within its deadline. */
export type AskOne<Client> = ReturnType<typeof askingWith<Client>>
