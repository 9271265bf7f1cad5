/**
 * What users of an exchange pay each other under an order. An exchange lists transfers by account alone, so nothing is
 * scanned for: the client names its transaction. Its clock is the chain (`ClockAsChain`).
 *
 * An exchange takes nothing back. A payment is never gone because an endpoint does not know it.
 */
import { Effect } from "effect"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { StandingPayment } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { Head } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { UserPayment } from "../../../src/domain/transfer/payment/UserPayment.ts"
import { withoutSendScans } from "../../family/UnsupportedPorts.ts"
import { depthBelow } from "./ClockAsChain.ts"
import { directPaymentRead } from "../DirectPaymentRead.ts"
import type { EndpointRead, EndpointReadFault, EndpointReader } from "../EndpointReader.ts"
import type { Rotation } from "../Rotation.ts"

/** What a transaction shows: the payment of an order, or none. */
export interface ShownPayment {
  readonly payment: UserPayment | undefined
}

/**
 * `shownIn`: undefined when the endpoint does not show the transaction as executed, which proves nothing. `named`: how a
 * transaction is read that anybody can name.
 */
export const clockPayments = <Client>(
  rpc: Rotation<EndpointReader<Client>>,
  readHead: EndpointRead<Client, Head>,
  shownIn: (chain: Chain, id: TransactionId) => EndpointRead<Client, ShownPayment | undefined>,
  named: <A>(read: EndpointRead<Client, A>) => EndpointRead<Client, A> = (read) => read
): DirectPaymentWatcher["Service"] => {
  /** `unknown`: what it means that the endpoint does not show the transaction. */
  const standingOf = (
    chain: Chain,
    id: TransactionId,
    unknown: Effect.Effect<undefined, EndpointReadFault>
  ): EndpointRead<Client, StandingPayment | undefined> =>
    Effect.fnUntraced(function*(client, deadline) {
      // The head first: what the endpoint shows afterwards is at least as new.
      const head = yield* readHead(client, deadline)
      const shown = yield* shownIn(chain, id)(client, deadline)
      if (shown === undefined) return yield* unknown
      const { payment } = shown
      return payment === undefined ? undefined : { payment, ...depthBelow(head, payment.block) }
    })

  return DirectPaymentWatcher.of({
    ...withoutSendScans,
    look: (chain, id) => rpc.call(chain, "a send", ({ read }) => read(named(standingOf(chain, id, Effect.undefined)))),
    lookAgain: (chain, id, _block, by) => {
      const standing = standingOf(chain, id, Effect.fail("behind"))
      return rpc.witnessed(chain, directPaymentRead(({ read }: EndpointReader<Client>) => read(standing)), by)
    }
  })
}
