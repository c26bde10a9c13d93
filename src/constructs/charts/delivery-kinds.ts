/**
 * The kinds of Flux and Argo CD that install charts, as far as they are written here.
 *
 * Sources: Flux, helm.toolkit.fluxcd.io/v2, source.toolkit.fluxcd.io/v1, kustomize.toolkit.fluxcd.io/v1; Argo CD, argoproj.io/v1alpha1.
 */
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type JsonObject } from '../../facts/api/schema';
import { type ObjectMeta } from '../../facts/api/types/meta/v1';

interface Delivered<S> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: S;
}

export interface HelmRepositorySpec {
  readonly interval: string;
  readonly url: string;
  readonly type?: 'oci' | 'default';
}

export interface HelmReleaseSpec {
  readonly interval: string;
  readonly releaseName: string;
  readonly targetNamespace: string;
  /** Where Helm keeps its record; that of the release unless it is named. */
  readonly storageNamespace?: string;
  readonly chart: {
    readonly spec: {
      readonly chart: string;
      readonly version: string;
      readonly sourceRef: { readonly kind: 'HelmRepository'; readonly name: string; readonly namespace?: string };
    };
  };
  readonly install: {
    readonly createNamespace: boolean;
    readonly crds: 'CreateReplace';
    readonly remediation?: { readonly retries: number };
  };
  readonly upgrade: { readonly crds: 'CreateReplace'; readonly remediation?: { readonly retries: number } };
  readonly values?: JsonObject;
}

export interface GitRepositorySpec {
  readonly interval: string;
  readonly url: string;
  readonly ref: { readonly tag: string };
}

export interface KustomizationSpec {
  readonly interval: string;
  readonly path: string;
  readonly prune: boolean;
  readonly sourceRef: { readonly kind: 'GitRepository'; readonly name: string };
}

export interface ArgoApplicationSpec {
  readonly project: string;
  readonly source: {
    readonly repoURL: string;
    readonly targetRevision: string;
    readonly chart?: string;
    readonly path?: string;
    readonly helm?: { readonly releaseName: string; readonly valuesObject?: JsonObject };
  };
  readonly destination: { readonly server: string; readonly namespace: string };
  readonly syncPolicy: {
    readonly automated?: { readonly prune: boolean; readonly selfHeal: boolean };
    readonly syncOptions: readonly string[];
  };
}

export const HelmRepository: ResourceKind<Delivered<HelmRepositorySpec>> = {
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'HelmRepository',
};
export const HelmReleaseKind: ResourceKind<Delivered<HelmReleaseSpec>> = {
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
};
export const GitRepository: ResourceKind<Delivered<GitRepositorySpec>> = {
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
};
export const Kustomization: ResourceKind<Delivered<KustomizationSpec>> = {
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
};
export const ArgoApplicationKind: ResourceKind<Delivered<ArgoApplicationSpec>> = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
};
