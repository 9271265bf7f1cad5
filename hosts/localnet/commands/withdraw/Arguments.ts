/** The arguments of `npm run withdraw`, checked against the running network. Each error says what would be right. */
import { Result } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import { getAddress, isAddress, isAddressEqual } from "viem/utils"
import { amountOf, common, hubOf, refusing } from "../demo/ArgumentValues.ts"
import { maybe } from "../../../cli/Program.ts"
import type { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import type { WithdrawalPlan } from "./Withdraw.ts"
import { localChains } from "./LocalChains.ts"

export const usage =
  "npm run withdraw -- --chain alpha [--currency ETH] [--amount 0.05] [--owner 0x… --owner-chain beta] [--recipient 0x…] [--expire]"

const fail = refusing(usage)

export const flags = {
  ...common,
  chain: Flag.String("chain").pipe(Flag.withDescription("where it arrives"), Flag.withDefault("alpha")),
  currency: maybe("currency", "what is withdrawn; the chain's native currency unless given"),
  amount: maybe("amount", "how much; all of it unless given"),
  owner: maybe("owner", "whose; the solver's unless given"),
  "owner-chain": maybe("owner-chain", "the chain of the owner's account on the hub"),
  expire: Flag.Boolean("expire").pipe(
    Flag.withDescription("nobody executes it: it is given back"),
    Flag.withDefault(false)
  )
} as const

export type Asked = Command.Command.Config.Infer<typeof flags>

type Account = Localnet["accounts"][number]

const accountOf = ({ address, privateKey }: Account) => ({ address: getAddress(address), privateKey })

/** The solver, or an account of the network: an owner whose key is here. */
const ownerOf = (text: string | undefined, { accounts, solver }: Localnet) => {
  if (text === undefined) return Result.succeed(accountOf(solver))
  if (!isAddress(text)) return fail(`--owner ${text} is no address (or its checksum is wrong)`)
  const owner = [solver, ...accounts].find(({ address }) => isAddressEqual(address, text))
  return owner === undefined
    ? fail(`--owner ${text} is neither the solver nor one of the network's accounts`)
    : Result.succeed(accountOf(owner))
}

/** The requested withdrawal. By default the solver's, of its whole balance there. */
export const plan = (values: Asked, localnet: Localnet): Result.Result<WithdrawalPlan, LocalnetError> =>
  Result.gen(function*() {
    const local = localChains(localnet, fail)
    const from = local.find(({ id }) => id === values.chain)
    if (from === undefined) {
      return yield* fail(`--chain ${values.chain} is none of the chains: ${local.map(({ id }) => id).join(", ")}`)
    }
    const chain = yield* from.target(values)
    const settlement = localnet.chains.find((each) => each.settlement)
    const home = values["owner-chain"] ?? settlement?.id
    if (home === undefined || !localnet.chains.some(({ id }) => id === home)) {
      const names = localnet.chains.map(({ id }) => id).join(", ")
      return yield* fail(`--owner-chain ${home} is none of the chains: ${names}`)
    }
    const amount = values.amount === undefined ? undefined : yield* amountOf(values.amount, chain.currency, fail)
    const owner = yield* ownerOf(values.owner, localnet)
    const recipient = yield* from.recipient(values.recipient, owner.address)
    // The submitter pays gas, so it must not be the recipient: the gas would change the amount that arrives.
    const submitter = localnet.accounts.find(({ address }) =>
      getAddress(address) !== recipient && !isAddressEqual(address, owner.address)
    )
    if (submitter === undefined) return yield* fail("the network has no account that could submit")
    return {
      oracle: { url: localnet.oracleUrl, apiKey: localnet.demo.oracleApiKey },
      hub: hubOf(localnet),
      chain,
      owner: { ...owner, chain: home },
      recipient,
      amount,
      allocator: accountOf(localnet.allocator),
      submitter: accountOf(submitter),
      end: values.expire ? "expired" : "executed"
    }
  })
