/**
 * All balances of an address in one eth_call, wherever EVM code runs. Calls the init code of Balances.sol, which
 * returns the balances in place of a contract's code, so nothing has to be deployed. Not Multicall3: it gives a token
 * all the gas, and is not on every chain.
 *
 * Addresses that are watched share calls, a hundred balances in each, so that a block costs a request for many of them.
 *
 * SECURITY: configured tokens may still be hostile. Each gets bounded gas, only one word of its answer is read, and the
 * call is made raw: viem's `call` follows reverts that ask for an off-chain lookup (EIP-3668).
 */
import { Array as Arr, Effect, Exit, Layer, Request, RequestResolver } from "effect"
import { decodeAbiParameters, encodeDeployData, parseAbiParameters } from "viem"
import type { Hex, PublicClient } from "viem"
import { AddressBalances, nothingLeft } from "../../../ports/chain/AddressBalances.ts"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Reading } from "../../../src/domain/deposit-address/reindex/PlanReindex.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { abi, bytecode } from "../contracts/artifacts/Balances.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/**
 * Balances of one call. The answer must be as short as a contract's code. The gas of this many hostile tokens must not
 * exceed what nodes give a call.
 */
const MOST_BALANCES = 100

/** How long a reading of a watched address waits for others to join it. */
const JOINING = "5 millis"

const answer = parseAbiParameters("uint256 height, (bool read, uint256 units)[] balances")

interface Held {
  readonly holder: Hex
  readonly currency: Hex
}

class ReadOf extends Request.Class<
  { readonly chain: Chain; readonly holder: Address; readonly currency: Currency },
  Reading,
  ChainUnavailable
> {}

const readSome = async (client: PublicClient, asked: ReadonlyArray<Held>): Promise<ReadonlyArray<Reading>> => {
  const data = encodeDeployData({
    abi,
    bytecode,
    args: [asked.map(({ holder }) => holder), asked.map(({ currency }) => currency)]
  })
  const [height, balances] = decodeAbiParameters(
    answer,
    await client.request({ method: "eth_call", params: [{ data }, "latest"] })
  )
  // In a short answer, later ones would get another one's balance.
  if (balances.length !== asked.length) throw new Error(`${balances.length} balances of ${asked.length}`)
  return balances.map(({ read, units }): Reading => read ? { _tag: "Read", units, height } : { _tag: "Unread" })
}

const heldOf = (holder: Address, { address }: Currency): Held => ({
  holder: viemHex(holder),
  currency: viemHex(address)
})

export const layer = Layer.effect(
  AddressBalances,
  Effect.gen(function*() {
    const { call } = yield* EthereumRpc

    const resolver = RequestResolver.makeGrouped<ReadOf, Chain>({
      key: ({ request }) => request.chain,
      resolver: (entries, chain) =>
        Effect.forEach(Arr.chunksOf(entries, MOST_BALANCES), (some) => {
          const held = some.map(({ request }) => heldOf(request.holder, request.currency))
          return Effect.map(
            Effect.exit(call(chain, "balances", (client) => readSome(client, held))),
            (found) =>
              some.forEach((entry, index) =>
                entry.completeUnsafe(Exit.map(found, (readings): Reading => readings[index] ?? { _tag: "Unread" }))
              )
          )
        }, { concurrency: "unbounded", discard: true })
    }).pipe(RequestResolver.setDelay(JOINING))

    return AddressBalances.of({
      leftBySweeps: nothingLeft,
      read: (chain, holder, currencies, from = "asked") =>
        from === "watched"
          ? Effect.forEach(
            currencies,
            (currency) => Effect.request(new ReadOf({ chain, holder, currency }), resolver),
            {
              concurrency: "unbounded"
            }
          )
          : call(chain, "balances", async (client) => {
            const groups = Arr.chunksOf(currencies.map((currency) => heldOf(holder, currency)), MOST_BALANCES)
            return (await Promise.all(groups.map((group) => readSome(client, group)))).flat()
          })
    })
  })
)
