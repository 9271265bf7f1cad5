/** What a user of the running network needs, as lines: addresses, a key, a request to paste. Pure. */
import { zeroAddress } from "viem"
import type { Localnet } from "./state/LocalnetFile.ts"
import type { Screen } from "../../cli/Screen.ts"
import { table } from "../../cli/Screen.ts"

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

/** Addresses, and what the request below them is for. */
export const lines = (localnet: Localnet, file: string, logFile: string, screen: Screen): ReadonlyArray<string> => {
  const { bitcoin, exchangeA, exchangeB, solana, tron } = localnet
  const chains = table([
    ["chain", "id", "node", "depository", "router"],
    ...localnet.chains.map((chain) => [chain.id, `${chain.chainId}`, chain.rpcUrl, chain.depository, chain.router]),
    ...(solana === undefined ? [] : [[solana.id, `${solana.chainId}`, solana.rpcUrl, solana.depository, ""]]),
    ...[bitcoin, exchangeA].flatMap((chain) =>
      chain === undefined ? [] : [[chain.id, `${chain.chainId}`, chain.rpcUrl, chain.depository.address, ""]]
    ),
    ...(tron === undefined ? [] : [[tron.id, `${tron.chainId}`, tron.rpcUrl, tron.depository, tron.router]]),
    ...(exchangeB === undefined
      ? []
      : [[exchangeB.id, `${exchangeB.chainId}`, exchangeB.rpcUrl, `account ${exchangeB.depository.index}`, ""]]),
    ["hub", `${localnet.hub.chainId}`, localnet.hub.rpcUrl, "", ""]
  ])
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
    ["all of it, with keys", file],
    ["log of the services", logFile],
    ["oracle", `${localnet.oracleUrl}  (its documentation: ${localnet.oracleUrl}/documentation)`],
    ["transfer service", `${localnet.transferUrl}  (its documentation: ${localnet.transferUrl}/documentation)`],
    ["dashboard", `${localnet.transferUrl}/dashboard  (operators sign in with the admin token)`]
  ])
  return [
    "",
    ...chains.map((line, index) => `  ${index === 0 ? screen.dim(line) : line}`),
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
