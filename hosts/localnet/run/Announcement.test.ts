import { assert, describe, it } from "@effect/vitest"
import { WIDTH } from "../../cli/Help.ts"
import * as Screen from "../../cli/Screen.ts"
import { withFamilies, withSolana } from "../commands/demo/testing/Described.ts"
import { hints, lines } from "./Announcement.ts"
import type { Localnet } from "./state/LocalnetFile.ts"

const screen = Screen.make({ write: () => true }, {})

/** Ids and ports with as many digits as those of a running network. */
const asRunning = <A extends { readonly chainId: number; readonly rpcUrl: string }>(chain: A) => ({
  ...chain,
  chainId: 616_101,
  rpcUrl: "http://127.0.0.1:18651"
})

const localnet: Localnet = {
  ...withFamilies,
  transferUrl: "http://127.0.0.1:13001",
  oracleUrl: "http://127.0.0.1:13000",
  chains: withFamilies.chains.map(asRunning),
  hub: asRunning(withFamilies.hub),
  ...(withSolana.solana === undefined ? {} : { solana: asRunning(withSolana.solana) }),
  ...(withFamilies.bitcoin === undefined ? {} : { bitcoin: asRunning(withFamilies.bitcoin) }),
  ...(withFamilies.tron === undefined ? {} : { tron: asRunning(withFamilies.tron) }),
  ...(withFamilies.exchangeA === undefined ? {} : { exchangeA: asRunning(withFamilies.exchangeA) }),
  ...(withFamilies.exchangeB === undefined ? {} : { exchangeB: asRunning(withFamilies.exchangeB) }),
  demo: { ...withFamilies.demo, apiKey: "k".repeat(43), balanceUsd: "1000.000000" }
}

describe("what npm start prints of a running network", () => {
  it("has every chain and every address whole, in lines that fit 80 columns", () => {
    const printed = [
      ...lines(localnet, "/causeway/.causeway/localnet.json", "/causeway/.causeway/localnet.log", screen),
      ...hints(localnet, [{ slug: "exchangea-local", tried: "100" }])
    ]
    assert.deepStrictEqual(printed.filter((line) => line.length > WIDTH), [])
    const { bitcoin, chains: [alpha], exchangeA, exchangeB, solana, tron } = localnet
    const below = (id: string) => printed.slice(printed.findIndex((line) => line.startsWith(`  ${id} `)))
    for (
      const [id, depository, router] of [
        ["alpha", alpha?.depository, alpha?.router],
        ["beta", alpha?.depository, alpha?.router],
        ["solana-local", solana?.depository, undefined],
        ["bitcoin-local", bitcoin?.depository.address, undefined],
        ["exchangea-local", exchangeA?.depository.address, undefined],
        ["tron-local", tron?.depository, tron?.router],
        ["exchangeb-local", `account ${exchangeB?.depository.index}`, undefined],
        ["hub", undefined, undefined]
      ] as const
    ) {
      const [row = "", ...rest] = below(id)
      assert.match(row, /^ {2}\S+ +\d+ {2}http:\/\/127\.0\.0\.1:\d+$/u)
      const contracts = [["depository", depository], ["router", router]] as const
      const expected = contracts.flatMap(([name, address]) =>
        address === undefined ? [] : [`    ${name.padEnd(10)}  ${address}`]
      )
      assert.deepStrictEqual(rest.slice(0, expected.length), expected, id)
      assert.notMatch(rest[expected.length] ?? "", /^ {4}\S/u, id)
    }
    for (const { address } of [...localnet.accounts.slice(0, 1), ...bitcoin?.accounts ?? []]) {
      assert.isTrue(printed.some((line) => line.endsWith(`  ${address} and nine more`)), address)
    }
  })
})
