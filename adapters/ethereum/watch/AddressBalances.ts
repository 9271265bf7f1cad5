/**
 * All balances of an address in one eth_call, wherever EVM code runs. Calls the init code of Balances.sol, which
 * returns the balances in place of a contract's code, so nothing has to be deployed. Not Multicall3: it gives a token
 * all the gas, and is not on every chain.
 *
 * SECURITY: configured tokens may still be hostile. Each gets bounded gas, only one word of its answer is read, and the
 * call is made raw: viem's `call` follows reverts that ask for an off-chain lookup (EIP-3668).
 */
import { Effect, Layer } from "effect"
import { decodeAbiParameters, encodeDeployData, parseAbiParameters } from "viem"
import type { Hex, PublicClient } from "viem"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { Reading } from "../../../src/domain/deposit-address/reindex/PlanReindex.ts"
import { abi, bytecode } from "../contracts/artifacts/Balances.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/**
 * The answer must be as short as a contract's code. The gas of this many hostile tokens must not exceed what nodes give
 * a call.
 */
const MOST_CURRENCIES = 100

const answer = parseAbiParameters("uint256 height, (bool read, uint256 units)[] balances")

const readSome = async (
  client: PublicClient,
  holder: Hex,
  currencies: ReadonlyArray<Hex>
): Promise<ReadonlyArray<Reading>> => {
  const data = encodeDeployData({ abi, bytecode, args: [holder, currencies] })
  const [height, balances] = decodeAbiParameters(
    answer,
    await client.request({ method: "eth_call", params: [{ data }, "latest"] })
  )
  // In a short answer, later currencies would get another currency's balance.
  if (balances.length !== currencies.length) {
    throw new Error(`${balances.length} balances of ${currencies.length} currencies`)
  }
  return balances.map(({ read, units }): Reading => read ? { _tag: "Read", units, height } : { _tag: "Unread" })
}

export const layer = Layer.effect(
  AddressBalances,
  Effect.gen(function*() {
    const { call } = yield* EthereumRpc
    return AddressBalances.of({
      read: (chain, holder, currencies) => {
        const addresses = currencies.map(({ address }) => viemHex(address))
        const groups = Array.from(
          { length: Math.ceil(addresses.length / MOST_CURRENCIES) },
          (_, index) => addresses.slice(index * MOST_CURRENCIES, (index + 1) * MOST_CURRENCIES)
        )
        return call(
          chain,
          "balances",
          async (client) => (await Promise.all(groups.map((group) => readSome(client, viemHex(holder), group)))).flat()
        )
      }
    })
  })
)
