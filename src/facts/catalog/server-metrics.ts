/**
 * The metrics that language model servers expose, to tell a misspelled name from one that a later release added.
 *
 * vLLM 0.4 to 0.25 (vllm/engine/metrics.py, vllm/v1/metrics/loggers.py, docs/design/metrics.md), SGLang
 * (python/sglang/srt/metrics/collector.py), Text Generation Inference 3 (docs/source/reference/metrics.md), Triton 25
 * (docs/user_guide/metrics.md).
 */

/** How a metric appears as time series: a counter of Python's client gets the suffix `_total`. */
type Form = 'gauge' | 'counter' | 'plain-counter' | 'histogram' | 'summary';

interface Server {
  readonly name: string;
  /** What the names of all its metrics begin with. */
  readonly prefixes: readonly string[];
  readonly metrics: Readonly<Record<Form, string>>;
}

const NONE = '';

const SERVERS: readonly Server[] = [
  {
    name: 'vLLM',
    prefixes: ['vllm:'],
    metrics: {
      gauge: `
        num_requests_running num_requests_waiting num_requests_waiting_by_reason num_requests_swapped
        kv_cache_usage_perc gpu_cache_usage_perc cpu_cache_usage_perc gpu_prefix_cache_hit_rate cpu_prefix_cache_hit_rate
        lora_requests_info cache_config_info engine_sleep_state
        avg_prompt_throughput_toks_per_s avg_generation_throughput_toks_per_s
        spec_decode_draft_acceptance_rate spec_decode_efficiency`,
      counter: `
        num_preemptions prompt_tokens generation_tokens tokens request_success corrupted_requests
        prompt_tokens_by_source prompt_tokens_cached prompt_tokens_recomputed admission_rejections
        prefix_cache_queries prefix_cache_hits gpu_prefix_cache_queries gpu_prefix_cache_hits
        external_prefix_cache_queries external_prefix_cache_hits mm_cache_queries mm_cache_hits
        spec_decode_num_drafts spec_decode_num_draft_tokens spec_decode_num_accepted_tokens
        spec_decode_num_accepted_tokens_per_pos spec_decode_num_emitted_tokens
        nixl_num_failed_transfers nixl_num_failed_notifications nixl_num_kv_expired_reqs`,
      histogram: `
        iteration_tokens_total time_to_first_token_seconds time_per_output_token_seconds inter_token_latency_seconds
        request_time_per_output_token_seconds time_per_prefill_token_request_seconds e2e_request_latency_seconds
        request_queue_time_seconds request_inference_time_seconds request_prefill_time_seconds request_decode_time_seconds
        time_in_queue_requests model_forward_time_milliseconds model_execute_time_milliseconds
        request_prompt_tokens request_generation_tokens request_max_num_generation_tokens request_prefill_kv_computed_tokens
        request_params_n request_params_best_of request_params_max_tokens
        kv_block_lifetime_seconds kv_block_idle_before_evict_seconds kv_block_reuse_gap_seconds
        nixl_xfer_time_seconds nixl_post_time_seconds nixl_bytes_transferred nixl_num_descriptors`,
      'plain-counter': NONE,
      summary: NONE,
    },
  },
  {
    name: 'SGLang',
    prefixes: ['sglang:'],
    metrics: {
      gauge: `
        num_running_reqs num_used_tokens token_usage pending_prealloc_token_usage swa_token_usage mamba_usage
        decode_sum_seq_lens gen_throughput num_queue_reqs num_grammar_queue_reqs num_running_reqs_offline_batch
        cache_hit_rate max_total_num_tokens spec_accept_length spec_accept_rate num_retracted_reqs num_paused_reqs
        num_prefill_prealloc_queue_reqs num_prefill_inflight_queue_reqs num_decode_prealloc_queue_reqs
        num_decode_transfer_queue_reqs kv_transfer_speed_gb_s kv_transfer_latency_ms kv_transfer_bootstrap_ms
        kv_transfer_alloc_ms kv_transfer_total_mb utilization max_running_requests_under_SLO engine_startup_time
        engine_load_weights_time is_cuda_graph lora_pool_slots_used lora_pool_slots_total lora_pool_utilization
        num_unique_running_routing_keys new_token_ratio prefetch_occupied_ratio`,
      counter: `
        num_retracted_requests num_retracted_input_tokens num_retracted_output_tokens num_bootstrap_failed_reqs
        num_transfer_failed_reqs num_grammar_cache_hit num_grammar_aborted num_grammar_timeout num_grammar
        cuda_graph_passes realtime_tokens gpu_execution_seconds dp_cooperation_realtime_tokens
        dp_cooperation_gpu_execution_seconds prompt_tokens generation_tokens cached_tokens num_requests num_so_requests
        num_aborted_requests prefetched_tokens backuped_tokens`,
      histogram: `
        queue_time_seconds grammar_compilation_time_seconds grammar_schema_count grammar_ebnf_size
        grammar_tree_traversal_time_avg grammar_tree_traversal_time_max per_stage_req_latency_seconds
        routing_key_running_req_count routing_key_all_req_count prefill_delayer_wait_forward_passes
        prefill_delayer_wait_seconds prompt_tokens_histogram generation_tokens_histogram time_to_first_token_seconds
        time_per_output_token_seconds inter_token_latency_seconds e2e_request_latency_seconds num_retractions func_latency_seconds
        prefetch_pgs backup_pgs prefetch_bandwidth backup_bandwidth`,
      summary: 'eplb_balancedness',
      'plain-counter': NONE,
    },
  },
  {
    name: 'Text Generation Inference',
    prefixes: ['tgi_'],
    metrics: {
      gauge: 'batch_current_max_tokens batch_current_size queue_size',
      'plain-counter': 'batch_inference_count batch_inference_success request_count request_success request_failure',
      // Without buckets of its own, a distribution has quantiles under its plain name.
      summary: `
        batch_concat_duration batch_decode_duration batch_filter_duration batch_forward_duration
        batch_inference_duration batch_next_size batch_next_tokens request_duration request_generated_tokens
        request_inference_duration request_input_length request_max_new_tokens request_mean_time_per_token_duration
        request_queue_duration request_skipped_tokens request_validation_duration`,
      counter: 'batch_concat',
      histogram: NONE,
    },
  },
  {
    name: 'Triton',
    prefixes: ['nv_inference_', 'nv_gpu_', 'nv_cpu_', 'nv_cache_', 'nv_energy_', 'nv_pinned_memory_'],
    metrics: {
      gauge: `
        inference_pending_request_count inference_load_ratio gpu_power_usage gpu_power_limit gpu_utilization
        gpu_memory_total_bytes gpu_memory_used_bytes cpu_utilization cpu_memory_total_bytes cpu_memory_used_bytes
        pinned_memory_pool_total_bytes pinned_memory_pool_used_bytes cache_num_entries cache_util`,
      'plain-counter': `
        inference_request_success inference_request_failure inference_count inference_exec_count
        inference_request_duration_us inference_queue_duration_us inference_compute_duration_us
        inference_compute_input_duration_us inference_compute_infer_duration_us inference_compute_output_duration_us
        energy_consumption cache_num_hits_per_model cache_num_misses_per_model cache_hit_duration_per_model
        cache_miss_duration_per_model cache_num_lookups cache_num_hits cache_num_misses cache_num_evictions
        cache_lookup_duration cache_insertion_duration cache_hit_lookup_duration_per_model
        cache_miss_lookup_duration_per_model cache_miss_insertion_duration_per_model cache_insertion_duration_per_model`,
      summary: `
        inference_request_summary_us inference_queue_summary_us inference_compute_input_summary_us
        inference_compute_infer_summary_us inference_compute_output_summary_us cache_hit_summary_us_per_model
        cache_miss_summary_us_per_model inference_first_response_histogram_ms`,
      counter: NONE,
      histogram: NONE,
    },
  },
];

/** What each form appends to the name of the metric. */
const SUFFIXES: Readonly<Record<Form, readonly string[]>> = {
  gauge: [''],
  counter: ['_total', '_created'],
  'plain-counter': [''],
  // Prometheus may store a histogram as one native series, under the plain name.
  histogram: ['', '_bucket', '_sum', '_count', '_created'],
  summary: ['', '_bucket', '_sum', '_count', '_created'],
};

/** The metrics of one server. */
export interface ServerMetrics {
  /** The server, as its project writes it. */
  readonly server: string;
  /** The names of all its time series. */
  readonly series: ReadonlySet<string>;
  /** Counters, whose series have a suffix, with that series. */
  readonly bases: ReadonlyMap<string, string>;
}

let byPrefix: readonly { readonly prefix: string; readonly metrics: ServerMetrics }[] | undefined;

/** The server whose metrics begin like this name; `undefined` where it is none of them. */
export function serverMetricsFor(name: string): ServerMetrics | undefined {
  byPrefix ??= SERVERS.flatMap((server) => {
    const metrics = metricsOf(server);
    return server.prefixes.map((prefix) => ({ prefix, metrics }));
  });
  return byPrefix.find(({ prefix }) => name.startsWith(prefix))?.metrics;
}

function metricsOf({ name, prefixes, metrics }: Server): ServerMetrics {
  // Triton's names share only the first three letters.
  const prefix = prefixes.length > 1 ? 'nv_' : prefixes[0];
  const forms = (Object.keys(SUFFIXES) as Form[]).map((form) => ({
    suffixes: SUFFIXES[form],
    names: metrics[form].split(/\s+/).filter((word) => word !== ''),
  }));
  return {
    server: name,
    series: new Set(
      forms.flatMap(({ names, suffixes }) => names.flatMap((base) => suffixes.map((suffix) => prefix + base + suffix))),
    ),
    bases: new Map(
      forms.flatMap(({ names, suffixes }) =>
        suffixes.includes('') ? [] : names.map((base) => [prefix + base, prefix + base + suffixes[0]] as const),
      ),
    ),
  };
}
