import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { alpha, evmAddress, solana } from "../../../../src/domain/quote/testing/Chains.ts"
import { ChainRow } from "./ChainsApi.ts"
import { chainRow } from "./ChainRows.ts"

const solver = evmAddress("50")
const read = Schema.decodeUnknownSync(ChainRow)

it("every configured currency is bridged, and the solver holds it", () => {
  const row = chainRow(alpha, [solver], false)
  assert.deepStrictEqual(read(row), row)
  assert.deepStrictEqual(
    [row.currency, ...row.erc20Currencies].map(({ supportsBridging, symbol }) => [symbol, supportsBridging]),
    [["ETH", true], ["USDC", true], ["USDT", true]]
  )
  assert.deepStrictEqual(row.solverCurrencies.map(({ symbol }) => symbol), ["ETH", "USDC", "USDT"])
})

it("names the depository, and, if any, the factory of deposit addresses and the contracts for permits", () => {
  assert.deepStrictEqual(chainRow(alpha, [solver], false).protocol.v2, {
    chainId: "alpha",
    depository: alpha.depository,
    depositAddresses: { factory: evmAddress("fa") },
    permits: { forwarder: evmAddress("f0"), permit2: evmAddress("f2") }
  })
  assert.deepStrictEqual(chainRow(solana, [solver], false).protocol.v2, {
    chainId: "solana",
    depository: solana.depository
  })
})

it("a paused chain takes no deposits", () => {
  assert.deepInclude(chainRow(alpha, [solver], true), { depositEnabled: false, disabled: true })
})
