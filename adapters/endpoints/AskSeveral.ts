/** Asks so many hosts, one after the other, that fewer liars than a quorum needs are not all of them. */
import { Clock, Effect, Result } from "effect"
import type { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { again, inOrder, unavailableOn } from "./AskEndpoint.ts"
import type { AskOne, Endpoint, Run } from "./AskEndpoint.ts"

/** What a host has answered. */
export interface HostAnswer<A> {
  readonly host: string
  readonly answer: A
}

/**
 * Whether so many answers settle the question. Asked once as many hosts as the quorum needs have answered, and after each
 * further one: where hosts contradict each other, those that were not asked yet decide.
 */
export type IsEnough<A> = (answers: ReadonlyArray<A>, needed: number) => boolean

/** The answers of `needed` hosts, and of further ones while there are not enough. A host that fails is replaced. */
export const askSeveral = Effect.fnUntraced(function*<Client, A>(
  askOne: AskOne<Client>,
  { all, needed }: { readonly all: ReadonlyArray<Endpoint<Client>>; readonly needed: number },
  chain: Chain,
  operation: string,
  run: Run<Client, A>,
  isEnough: IsEnough<A> = () => true
): Effect.fn.Return<ReadonlyArray<HostAnswer<A>>, ChainUnavailable> {
  // Those that are left out keep their voice, and come last.
  const preferred = inOrder(all, yield* Clock.currentTimeMillis)
  const said = new Map<string, A>()
  let fault: ChainUnavailable | undefined
  for (const endpoint of [...preferred, ...all.filter((each) => !preferred.includes(each))]) {
    if (said.size >= needed && isEnough([...said.values()], needed)) break
    if (said.has(endpoint.host)) continue
    const heard = yield* Effect.result(again(askOne(endpoint, chain, operation, run)))
    if (Result.isSuccess(heard)) said.set(endpoint.host, heard.success)
    else fault = heard.failure
  }
  return said.size >= needed
    ? [...said].map(([host, answer]) => ({ host, answer }))
    : yield* fault ?? unavailableOn(chain, operation)("behind")
})
