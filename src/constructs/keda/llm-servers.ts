/**
 * The metrics of language model servers, by the names that each server uses.
 */

/** `triton-tensorrt-llm` is Triton with the TensorRT-LLM backend, which knows more of its requests than Triton does. */
export type LlmServer = 'vllm' | 'sglang' | 'tgi' | 'triton' | 'triton-tensorrt-llm';

export interface LlmMetric {
  readonly name: string;
  /** Labels that choose the one of several values which is meant. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface LlmMetrics {
  /** Requests that wait for a place in a batch. */
  readonly waiting: LlmMetric;
  /** Requests in the running batch; undefined where the server does not say. */
  readonly running?: LlmMetric;
  /** Share of the KV cache that is in use, 0 to 1; undefined where the server does not say. */
  readonly kvCacheUse?: LlmMetric;
}

export const LLM_METRICS: Readonly<Record<LlmServer, LlmMetrics>> = {
  // Older releases called the last one vllm:gpu_cache_usage_perc.
  vllm: {
    waiting: { name: 'vllm:num_requests_waiting' },
    running: { name: 'vllm:num_requests_running' },
    kvCacheUse: { name: 'vllm:kv_cache_usage_perc' },
  },
  // Only with --enable-metrics.
  sglang: {
    waiting: { name: 'sglang:num_queue_reqs' },
    running: { name: 'sglang:num_running_reqs' },
    kvCacheUse: { name: 'sglang:token_usage' },
  },
  tgi: {
    waiting: { name: 'tgi_queue_size' },
    running: { name: 'tgi_batch_current_size' },
  },
  triton: { waiting: { name: 'nv_inference_pending_request_count' } },
  'triton-tensorrt-llm': {
    waiting: { name: 'nv_trt_llm_request_metrics', labels: { request_type: 'waiting' } },
    running: { name: 'nv_trt_llm_request_metrics', labels: { request_type: 'scheduled' } },
    kvCacheUse: { name: 'nv_trt_llm_kv_cache_block_metrics', labels: { kv_cache_block_type: 'fraction' } },
  },
};

/** Metrics that only a running server exposes: they are missing while the target is scaled to zero. */
export const LLM_METRIC_NAMES: ReadonlySet<string> = new Set(
  Object.values(LLM_METRICS)
    .flatMap(({ waiting, running, kvCacheUse }) => [waiting, running, kvCacheUse].map((metric) => metric?.name ?? ''))
    .filter((name) => name !== ''),
);
