/**
 * Distributed training as one statement, whatever runs it.
 */
export { DistributedTraining, type DistributedTrainingProps } from './distributed-training';
export { type TrainingFramework, type TrainingStatement } from './statement';
export { type TopologyLevel, TrainingTopology } from './topology';
export { type EngineOptions, type RayJobEngineOptions, TrainingEngine, type TrainingWorkload } from './training-engine';
