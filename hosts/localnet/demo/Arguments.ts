/**
 * The arguments of `npm run demo`, checked against the network that runs: what
 * is wrong is said with what would be right.
 */
import { Result } from "effect"
import { getAddress } from "viem/utils"
import type { LocalnetError } from "../LocalnetError.ts"
import type { Localnet } from "../LocalnetFile.ts"
import { amountOf, currencyOn, hubOf, parsing, recipientOf, refusing, symbolsOf } from "./ArgumentValues.ts"
import type { DemoPlan } from "./DemoTransfer.ts"

export const usage =
  "npm run demo -- --from alpha --to beta --currency ETH --amount 0.1 [--recipient 0x…]"

const fail = refusing(usage)

const parse = parsing(usage, {
  from: { type: "string", default: "alpha" },
  to: { type: "string", default: "beta" },
  amount: { type: "string", default: "0.1" }
})

/** The transfer that the arguments ask for; the user is the network's first account. */
export const plan = (words: ReadonlyArray<string>, localnet: Localnet): Result.Result<DemoPlan, LocalnetError> =>
  Result.gen(function*() {
    const values = yield* parse(words)
    const names = localnet.chains.map((chain) => chain.id).join(", ")
    const from = localnet.chains.find((chain) => chain.id === values.from)
    const to = localnet.chains.find((chain) => chain.id === values.to)
    if (from === undefined) return yield* fail(`--from ${values.from} is none of the chains: ${names}`)
    if (to === undefined) return yield* fail(`--to ${values.to} is none of the chains: ${names}`)
    const currencyIn = currencyOn(from, values.currency)
    if (currencyIn === undefined) return yield* fail(`--currency ${values.currency} is none of ${symbolsOf(from)}`)
    const currencyOut = currencyOn(to, values.currency)
    if (currencyOut === undefined) return yield* fail(`--currency ${values.currency} does not exist on ${to.id}`)
    const amount = yield* amountOf(values.amount, currencyIn, fail)
    const [account] = localnet.accounts
    if (account === undefined) return yield* fail("the network has no account")
    const user = { address: getAddress(account.address), privateKey: account.privateKey }
    const recipient = yield* recipientOf(values.recipient, user.address, fail)
    return {
      transferUrl: localnet.transferUrl,
      oracle: { url: localnet.oracleUrl, apiKey: localnet.demo.oracleApiKey },
      hub: hubOf(localnet),
      from: { id: from.id, chainId: from.chainId, rpcUrl: from.rpcUrl, currency: currencyIn },
      to: { id: to.id, chainId: to.chainId, rpcUrl: to.rpcUrl, currency: currencyOut },
      amount,
      user,
      recipient
    }
  })
