/** What a user of the running network needs, as lines: addresses, a key, a request to paste. Pure. */
import { zeroAddress } from "viem"
import type { Localnet } from "./state/LocalnetFile.ts"
import type { Screen } from "../../cli/Screen.ts"
import { table } from "../../cli/Screen.ts"
import { WIDTH } from "../../cli/Help.ts"

/** A quote as a shell command that works when pasted. */
export const curl = (localnet: Localnet): string => {
  const [from, to] = localnet.chains
  const body = {
    user: localnet.accounts[0]?.address,
    originChainId: from?.chainId,
    destinationChainId: to?.chainId,
    originCurrency: zeroAddress,
    destinationCurrency: zeroAddress,
    amount: "100000000000000000",
    tradeType: "EXACT_INPUT"
  }
  return `curl -s -X POST ${localnet.transferUrl}/quote -H 'content-type: application/json' -d '${
    JSON.stringify(body)
  }'`
}

/** A chain, and its contracts for users. */
interface ChainLines {
  readonly row: readonly [id: string, chainId: string, node: string]
  readonly contracts: ReadonlyArray<readonly [name: string, address: string]>
}

interface DescribedChain {
  readonly id: string
  readonly chainId: number
  readonly rpcUrl: string
}

const chainLines = (
  { chainId, id, rpcUrl }: DescribedChain,
  depository?: string,
  router?: string
): ChainLines => ({
  row: [id, `${chainId}`, rpcUrl],
  contracts: [
    ...(depository === undefined ? [] : [["depository", depository] as const]),
    ...(router === undefined ? [] : [["router", router] as const])
  ]
})

const chainsOf = (
  { bitcoin, chains, exchangeA, exchangeB, hub, solana, tron }: Localnet
): ReadonlyArray<ChainLines> => [
  ...chains.map((chain) => chainLines(chain, chain.depository, chain.router)),
  ...(solana === undefined ? [] : [chainLines(solana, solana.depository)]),
  ...[bitcoin, exchangeA].flatMap((chain) => chain === undefined ? [] : [chainLines(chain, chain.depository.address)]),
  ...(tron === undefined ? [] : [chainLines(tron, tron.depository, tron.router)]),
  ...(exchangeB === undefined ? [] : [chainLines(exchangeB, `account ${exchangeB.depository.index}`)]),
  chainLines({ ...hub, id: "hub" })
]

const INDENT = 2

/** Each address has a line of its own: two of them in a row are wider than a terminal. */
const chainTable = (localnet: Localnet, screen: Screen): ReadonlyArray<string> => {
  const chains = chainsOf(localnet)
  const [head = "", ...rows] = table([["chain", "id", "node"], ...chains.map(({ row }) => row)], WIDTH - INDENT)
  return [
    screen.dim(head),
    ...chains.flatMap(({ contracts }, index) => [
      rows[index] ?? "",
      ...contracts.map(([name, address]) => `  ${name.padEnd("depository".length)}  ${address}`)
    ])
  ]
}

/** Addresses, and what the request below them is for. At most 80 columns wide, unless a path is longer. */
export const lines = (localnet: Localnet, file: string, logFile: string, screen: Screen): ReadonlyArray<string> => {
  const { bitcoin, solana } = localnet
  const tokens = localnet.chains[0]?.tokens.map((token) => [token.symbol, token.address]) ?? []
  const rest = table([
    ...tokens,
    ...(solana?.tokens ?? []).map(({ address, symbol }) => [`${symbol} on Solana`, address]),
    ["solver", localnet.solver.address],
    ["user", `${localnet.accounts[0]?.address ?? ""} and nine more`],
    ...(solana === undefined ? [] : [["user on Solana", `${solana.accounts[0]?.address ?? ""} and nine more`]]),
    ...(bitcoin === undefined ? [] : [["user on Bitcoin", `${bitcoin.accounts[0]?.address ?? ""} and nine more`]]),
    ["demo key", localnet.demo.apiKey],
    ["demo sponsor", `${localnet.demo.sponsorWallet}, ${localnet.demo.balanceUsd} USD`],
    ["all, with keys", file],
    ["services' log", logFile],
    ["oracle", `${localnet.oracleUrl}  (its documentation: ${localnet.oracleUrl}/documentation)`],
    ["transfer service", `${localnet.transferUrl}  (its documentation: ${localnet.transferUrl}/documentation)`],
    ["dashboard", `${localnet.transferUrl}/dashboard  (operators sign in with the admin token)`]
  ], WIDTH - INDENT)
  return [
    "",
    ...chainTable(localnet, screen).map((line) => `  ${line}`),
    "",
    ...rest.map((line) => `  ${line}`),
    "",
    "  Ask for a quote:",
    ""
  ]
}

/** Commands to go on with, each on a line of its own below what it does. */
export const hints = (
  { solana }: Localnet,
  attested: ReadonlyArray<{ readonly slug: string; readonly tried?: string }>
): ReadonlyArray<string> => {
  const tried = attested.flatMap(({ slug, tried: amount }) => amount === undefined ? [] : [{ slug, amount }])
  const [beside] = attested
  const isMany = solana !== undefined || attested.length > 0
  return [
    ["Another transfer:", "npm run demo -- --from beta --to alpha --currency ETH --amount 0.25"],
    ...solana === undefined
      ? []
      : [["To Solana, and back with the two exchanged:", `npm run demo -- --from alpha --to ${solana.id}`]],
    ...tried.map(({ amount, slug }) => [
      `From ${slug}, and back with the two exchanged:`,
      `npm run demo -- --from ${slug} --to alpha --amount ${amount}`
    ]),
    ...isMany ? [["Every family to every other:", "npm run demo -- --matrix"]] : [],
    ...beside === undefined
      ? []
      : [["A deposit that the oracle attests:", `npm run attest -- --chain ${beside.slug}`]],
    ["What became of one, besides its page:", "npm run follow -- <id>"],
    ["Ctrl-C stops everything. Where this run ended, or empty, the next one begins:", "npm start [-- --fresh]"]
  ].flatMap(([what = "", command = ""]) => [what, `  ${command}`])
}
