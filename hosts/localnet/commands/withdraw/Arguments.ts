/**
 * The arguments of `npm run withdraw`, checked against the network that runs: what is wrong is said with what would be
 * right.
 */
import { Result } from "effect"
import { getAddress, isAddress, isAddressEqual } from "viem/utils"
import { amountOf, currencyOf, hubOf, parsing, recipientOf, refusing, symbolsOf } from "../demo/ArgumentValues.ts"
import { currenciesOf } from "../demo/DemoChain.ts"
import type { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import type { WithdrawalPlan } from "./Withdraw.ts"

export const usage =
  "npm run withdraw -- --chain alpha --currency ETH [--amount 0.05] [--owner 0x… --owner-chain beta] [--recipient 0x…] [--expire]"

const fail = refusing(usage)

const parse = parsing(usage, {
  chain: { type: "string", default: "alpha" },
  currency: { type: "string", default: "ETH" },
  amount: { type: "string" },
  owner: { type: "string" },
  "owner-chain": { type: "string" },
  expire: { type: "boolean", default: false }
})

type Account = Localnet["accounts"][number]

const accountOf = ({ address, privateKey }: Account) => ({ address: getAddress(address), privateKey })

/** The solver, or an account of the network: somebody whose key is here. */
const ownerOf = (text: string | undefined, { accounts, solver }: Localnet) => {
  if (text === undefined) return Result.succeed(accountOf(solver))
  if (!isAddress(text)) return fail(`--owner ${text} is no address (or its checksum is wrong)`)
  const owner = [solver, ...accounts].find(({ address }) => isAddressEqual(address, text))
  return owner === undefined
    ? fail(`--owner ${text} is neither the solver nor one of the network's accounts`)
    : Result.succeed(accountOf(owner))
}

/** The withdrawal that the arguments ask for; the solver's, of all that it has there, unless they say otherwise. */
export const plan = (words: ReadonlyArray<string>, localnet: Localnet): Result.Result<WithdrawalPlan, LocalnetError> =>
  Result.gen(function*() {
    const values = yield* parse(words)
    const names = localnet.chains.map(({ id }) => id).join(", ")
    const chain = localnet.chains.find(({ id }) => id === values.chain)
    if (chain === undefined) return yield* fail(`--chain ${values.chain} is none of the chains: ${names}`)
    const currency = currencyOf(currenciesOf(chain), values.currency)
    if (currency === undefined) {
      return yield* fail(`--currency ${values.currency} is none of ${symbolsOf(currenciesOf(chain))}`)
    }
    const settlement = localnet.chains.find((each) => each.settlement)
    const home = values["owner-chain"] ?? settlement?.id
    if (home === undefined || !localnet.chains.some(({ id }) => id === home)) {
      return yield* fail(`--owner-chain ${home} is none of the chains: ${names}`)
    }
    const amount = values.amount === undefined ? undefined : yield* amountOf(values.amount, currency, fail)
    const owner = yield* ownerOf(values.owner, localnet)
    const recipient = yield* recipientOf(values.recipient, owner.address, fail)
    // Whoever submits pays gas, which must not hide in what arrives.
    const submitter = localnet.accounts.find(({ address }) =>
      !isAddressEqual(address, recipient) && !isAddressEqual(address, owner.address)
    )
    if (submitter === undefined) return yield* fail("the network has no account that could submit")
    return {
      oracle: { url: localnet.oracleUrl, apiKey: localnet.demo.oracleApiKey },
      hub: hubOf(localnet),
      chain: {
        id: chain.id,
        chainId: chain.chainId,
        rpcUrl: chain.rpcUrl,
        currency,
        depository: getAddress(chain.depository)
      },
      owner: { ...owner, chain: home },
      recipient,
      amount,
      allocator: accountOf(localnet.allocator),
      submitter: accountOf(submitter),
      end: values.expire ? "expired" : "executed"
    }
  })
