/** What the laws read of a run's store, on either floor. Rows are named as the tables of the real store name them. */

export interface PaymentInBooks {
  readonly order_id: string
  readonly leg: string
  readonly chain_id: number
  readonly transaction_id: string
  readonly state: string
  readonly recipient: string
  readonly currency: string
  /** Smallest units. */
  readonly amount: string
}

export interface DepositInBooks {
  readonly onchain_id: string
  readonly chain_id: number
  readonly transaction_id: string
  readonly deposit_id: string
  readonly state: string
}

export interface LossInBooks {
  readonly kind: string
  readonly order_id: string
  readonly currency: string
  /** Smallest units. */
  readonly amount: string
  readonly recovered_at: number | null
}

export interface Books {
  /** By order and purpose. */
  readonly payments: ReadonlyArray<PaymentInBooks>
  /** By onchain id. */
  readonly deposits: ReadonlyArray<DepositInBooks>
  readonly losses: ReadonlyArray<LossInBooks>
}
