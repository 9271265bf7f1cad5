/** Ports of settling that answer what a test tells them, and die of everything else. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChainObserver } from "../../../../ports/chain/ChainObserver.ts"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { HubGate } from "../../../../ports/hub/HubGate.ts"
import { Hubs } from "../../../../ports/hub/Hubs.ts"
import { Oracles } from "../../../../ports/hub/Oracles.ts"
import { Pauses } from "../../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { Settlements } from "../../../../ports/store/orders/Settlements.ts"
import { SettlingHub } from "../../../../ports/hub/SettlingHub.ts"
import { Signatures } from "../../../../ports/signing/Signatures.ts"
import { TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import { alpha, evmAddress } from "../../../domain/quote/testing/Chains.ts"
import type { ClaimedSettlement } from "../../../../ports/store/orders/Settlements.ts"
import { Hex32 } from "../../../domain/encoding/Hex.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import * as NewSettlements from "../NewSettlements.ts"
import { polledFollowers } from "../../following/testing/PolledFollowers.ts"
import { defaultPolicy, Policy } from "../../operations/Policy.ts"

export const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)

export const gate = evmAddress("6a")
export const hub = {
  chain: alpha,
  gate,
  domain: { name: "RelayOracle", version: "1", chainId: 1n, verifyingContract: gate }
}

export const claimed: ClaimedSettlement = {
  deposit: word(1),
  orderId: OrderId.make(word(2)),
  attempts: 0,
  alike: undefined,
  failures: 0,
  leasedUntil: 1
}

/** Every member that is not told dies when it is called. */
export const dying = <A extends object>(told: Partial<A>): A =>
  new Proxy(told as A, {
    get: (target, name) =>
      name in target ? Reflect.get(target, name) : () => Effect.die(new Error(`${String(name)} was not asked for`))
  })

interface Told {
  readonly settlements?: Partial<Settlements["Service"]>
  readonly gate?: Partial<HubGate["Service"]>
  readonly deposits?: Partial<Deposits["Service"]>
  readonly history?: Partial<TransferHistory["Service"]>
  readonly transfers?: Partial<Transfers["Service"]>
  readonly watcher?: Partial<DepositWatcher["Service"]>
  readonly payments?: Partial<Payments["Service"]>
  readonly treasury?: Partial<Treasury["Service"]>
  readonly pauses?: Partial<Pauses["Service"]>
  readonly settling?: Partial<SettlingHub["Service"]>
}

export const ports = (told: Told) =>
  Layer.mergeAll(
    Layer.succeed(Chains, { all: [alpha] }),
    Layer.succeed(SettlingHub, { hub, followed: [], ...told.settling }),
    Layer.succeed(Oracles, { all: [] }),
    Layer.succeed(
      Settlements,
      dying<Settlements["Service"]>({
        underWay: Effect.succeed([]),
        toCheck: () => Effect.succeed([]),
        adopt: () => Effect.succeed(0),
        nextDue: () => Effect.succeed(0),
        hasRoom: () => Effect.succeed(true),
        ...told.settlements
      })
    ),
    Layer.succeed(HubGate, dying<HubGate["Service"]>(told.gate ?? {})),
    Layer.succeed(Deposits, dying<Deposits["Service"]>(told.deposits ?? {})),
    Layer.succeed(TransferHistory, dying<TransferHistory["Service"]>(told.history ?? {})),
    Layer.succeed(Transfers, dying<Transfers["Service"]>(told.transfers ?? {})),
    Layer.succeed(DepositWatcher, dying<DepositWatcher["Service"]>(told.watcher ?? {})),
    Layer.succeed(ChainObserver, dying<ChainObserver["Service"]>({})),
    Layer.succeed(Hubs, dying<Hubs["Service"]>({})),
    Layer.succeed(Signatures, dying<Signatures["Service"]>({})),
    Layer.succeed(
      Pauses,
      dying<Pauses["Service"]>({ ...told.pauses?.all && { recent: told.pauses.all }, ...told.pauses })
    ),
    Layer.succeed(Payments, dying<Payments["Service"]>(told.payments ?? {})),
    polledFollowers,
    NewSettlements.layer,
    Layer.succeed(Policy, defaultPolicy),
    Layer.succeed(Treasury, dying<Treasury["Service"]>(told.treasury ?? {}))
  )
