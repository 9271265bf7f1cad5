/**
 * `causeway-kit/ports`: what the services need of the world, one interface a port. Bring your own layers of them, or take
 * those of `causeway-kit/adapters/*`. Contains no implementation.
 */
export { ChainUnavailable } from "./ChainUnavailable.ts"
export { ChainObserver, type QuorumHealth } from "./ChainObserver.ts"
export { Chains } from "./Chains.ts"
export { Deposits, type DepositState } from "./Deposits.ts"
export { Cursor, DepositWatcher, type Scan, type Standing } from "./DepositWatcher.ts"
export { type Exposure, type ExposureCaps, Exposures } from "./Exposures.ts"
export { failpoint, type Failpoint, Failpoints } from "./Failpoints.ts"
export { Gas } from "./Gas.ts"
export { IdempotentAnswers } from "./IdempotentAnswers.ts"
export { OrderSigner } from "./OrderSigner.ts"
export { Pauses } from "./Pauses.ts"
export { type Leg, Payments, type StoredPayment } from "./Payments.ts"
export { Prices, PriceUnavailable } from "./Prices.ts"
export { PriceSources } from "./PriceSources.ts"
export { type Promised, Promises } from "./Promises.ts"
export { type Approval, type DepositIntent, type DepositPlan, DepositRefused, type DepositWay, type OriginCosts, StepBuilder } from "./StepBuilder.ts"
export { StoreUnavailable } from "./StoreUnavailable.ts"
export { TransferHistory } from "./TransferHistory.ts"
export { type StatusChange, Transfers } from "./Transfers.ts"
export { FailedCall, type Holding, type Payment, type PaymentCost, type PaymentOutcome, PaymentRefused, type PreparedPayment, type SignedPayment, Treasury } from "./Treasury.ts"
