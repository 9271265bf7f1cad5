/**
 * A withdrawal from the ledger, for the unchanged program `npm run withdraw`: the depository's key is the allocator's, and
 * drafts the transfer that pays. The depository pays the ledger's fee.
 */
import { Effect, Schema } from "effect"
import type { Chain, Currency, Hex32 } from "causeway-kit"
import type { HttpJson } from "causeway-kit/adapters/quorum"
import type { WithdrawalChain } from "../../../hosts/localnet/commands/withdraw/WithdrawalChain.ts"
import { LocalnetError } from "../../../hosts/localnet/run/LocalnetError.ts"
import { accountOf, digestOf, signTransfer, type Transfer } from "../ledger/Transfer.ts"
import { ledgerAddresses } from "../rules/LedgerAddresses.ts"
import { encodeLedgerWithdrawal } from "../rules/LedgerWithdrawal.ts"
import { terms } from "./Fixture.ts"

const Account = Schema.Struct({ pendingSequence: Schema.BigIntFromString })
const Height = Schema.Struct({ height: Schema.Int })
/** While no block has it, the node names none. */
const Sent = Schema.Struct({
  final: Height,
  transfer: Schema.Struct({ succeeded: Schema.Boolean, block: Height }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed({ succeeded: false, block: { height: Number.MAX_SAFE_INTEGER } }))
  )
})

const asked = <A, E>(node: HttpJson, path: string, schema: Schema.Codec<A, E>) =>
  Effect.orDie(Effect.flatMap(
    node.call({ method: "GET", path }, 5_000),
    ({ said }) => Schema.decodeUnknownEffect(schema)(said)
  ))

/** Sends it, and waits until a final block has it. */
const execute = Effect.fnUntraced(function*(node: HttpJson, transfer: Transfer, key: Hex32) {
  const { signature } = signTransfer(transfer, key)
  const body = {
    transfer: {
      ...transfer,
      sequence: `${transfer.sequence}`,
      amount: `${transfer.amount}`,
      fee: `${transfer.fee}`
    },
    signature
  }
  const { said, status } = yield* Effect.orDie(node.call({ method: "POST", path: "/v1/transfers", body }, 5_000))
  if (status !== 200) {
    return yield* new LocalnetError({ message: `the ledger refused the withdrawal: ${JSON.stringify(said)}` })
  }
  const transaction = digestOf(transfer).slice(2)
  const { transfer: { succeeded } } = yield* asked(node, `/v1/transfers/${transaction}`, Sent).pipe(
    Effect.tap(({ final, transfer: { block } }) => final.height < block.height ? Effect.sleep(50) : Effect.void),
    Effect.repeat({ until: ({ final, transfer: { block } }) => final.height >= block.height })
  )
  return { transaction, arrived: succeeded ? transfer.amount : 0n }
})

export const ledgerWithdrawal = (
  chain: Chain,
  currency: Currency,
  node: HttpJson,
  depositoryKey: Hex32
): WithdrawalChain => ({
  id: chain.slug,
  ref: chain,
  currency,
  drafting: () =>
    Effect.succeed(Effect.fnUntraced(function*({ amount, nonce, recipient }) {
      const sender = accountOf(depositoryKey)
      const { pendingSequence } = yield* asked(node, `/v1/accounts/${sender}`, Account)
      const transfer: Transfer = {
        ledger: chain.genesisHash ?? "",
        sender,
        sequence: pendingSequence,
        recipient: yield* Effect.orDie(Effect.fromResult(ledgerAddresses.parse(recipient))),
        currency: currency.address,
        amount,
        fee: terms.fee,
        memo: `withdrawal ${nonce}`
      }
      return {
        id: digestOf(transfer),
        encoded: encodeLedgerWithdrawal(transfer),
        pays: amount,
        execute: execute(node, transfer, depositoryKey)
      }
    }))
})
