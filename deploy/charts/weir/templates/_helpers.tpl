{{- define "weir.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "weir.fullname" -}}
{{- $name := include "weir.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select pods. They never change. */}}
{{- define "weir.selector" -}}
app.kubernetes.io/name: {{ include "weir.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "weir.labels" -}}
{{ include "weir.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "weir.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What the schema cannot say. */}}
{{- define "weir.checked" -}}
{{- if eq .Values.mode "cluster" -}}
{{- if not .Values.kafka.brokers }}{{ fail "mode cluster needs kafka.brokers: host:port of the Kafka brokers" }}{{ end -}}
{{- if not .Values.store.url }}{{ fail "mode cluster needs store.url: the address of a ClickHouse server" }}{{ end -}}
{{- if not .Values.secretName }}{{ fail "mode cluster needs secretName: a Secret with WEIR_SECRET_KEY, the same for all processes" }}{{ end -}}
{{- if .Values.backup.enabled }}{{ fail "backup.enabled is for mode single: back up the ClickHouse server and Kafka by their own means" }}{{ end -}}
{{- $engines := .Values.engine.autoscaling.enabled | ternary .Values.engine.autoscaling.maxReplicas .Values.engine.replicas -}}
{{- if gt (int $engines) (int .Values.partitions) }}{{ fail (printf "%d engines are more than the %d partitions: the others would have nothing to do" (int $engines) (int .Values.partitions)) }}{{ end -}}
{{- else -}}
{{- if or .Values.kafka.brokers .Values.store.url }}{{ fail "kafka.brokers and store.url are for mode cluster" }}{{ end -}}
{{- end -}}
{{- range list .Values.ingest .Values.engine -}}
{{- if and .autoscaling.enabled (gt (int .autoscaling.minReplicas) (int .autoscaling.maxReplicas)) }}{{ fail "autoscaling.minReplicas is above maxReplicas" }}{{ end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.apiHost) (not .Values.ingress.ingestHost) }}{{ fail "ingress.enabled needs ingress.apiHost, ingress.ingestHost, or both" }}{{ end -}}
{{- end -}}

{{- define "weir.environment" -}}
{{- $given := dict "WEIR_HOST" "0.0.0.0" "WEIR_PORT" "8080" "WEIR_METRICS_PORT" "9090" "WEIR_DATA_DIR" "/data" "WEIR_PARTITIONS" (.root.Values.partitions | int | toString) -}}
{{- if eq .root.Values.mode "cluster" -}}
{{- $_ := set $given "KAFKA_BROKERS" (join "," .root.Values.kafka.brokers) -}}
{{- $_ := set $given "CLICKHOUSE_URL" .root.Values.store.url -}}
{{- else -}}
{{- $_ := set $given "WEIR_INGEST_PORT" "8081" -}}
{{- end -}}
{{- if .root.Values.ingress.ingestHost -}}
{{- $_ := set $given "WEIR_INGEST_HOST" .root.Values.ingress.ingestHost -}}
{{- end -}}
{{- range $name, $value := .root.Values.settings -}}
{{- /* Large numbers would be printed as powers of ten. */ -}}
{{- $_ := set $given $name (kindIs "float64" $value | ternary ($value | int64 | toString) ($value | toString)) -}}
{{- end -}}
{{- range $name, $value := $given }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* Template of a pod: root, component, role, values; volumes and mounts beside /tmp. */}}
{{- define "weir.pod" -}}
metadata:
  labels:
    {{- include "weir.labels" . | nindent 4 }}
spec:
  # Otherwise each Service of the namespace would add variables whose names begin like those of settings.
  enableServiceLinks: false
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 30
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext:
    {{- include "weir.podSecurity" . | nindent 4 }}
  {{- with .values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "weir.selector" $ | nindent 10 }}
    {{- end }}
  containers:
    - name: weir
      image: {{ include "weir.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [{{ .role }}]
      env:
        {{- include "weir.environment" . | nindent 8 }}
      {{- if .root.Values.secretName }}
      envFrom:
        - secretRef:
            name: {{ .root.Values.secretName }}
      {{- end }}
      ports:
        - name: http
          containerPort: 8080
        {{- if eq .root.Values.mode "single" }}
        - name: ingest
          containerPort: 8081
        {{- end }}
        - name: metrics
          containerPort: 9090
      # A start reads the log from the last checkpoint, and may wait for another process to let go of its partitions.
      startupProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 2
        failureThreshold: 300
      livenessProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: {{ .ready | quote }}, port: metrics }
        periodSeconds: 5
        timeoutSeconds: 5
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      securityContext:
        {{- include "weir.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- if .hasBackups }}
        - name: backups
          mountPath: /backups
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if not .keepsData }}
    - name: data
      emptyDir: {}
    {{- end }}
    {{- if .hasBackups }}
    - name: backups
      persistentVolumeClaim:
        claimName: {{ include "weir.fullname" .root }}-backups
    {{- end }}
{{- end -}}

{{- define "weir.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "weir.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Components of the mode, separated by blanks. */}}
{{- define "weir.components" -}}
{{- eq .Values.mode "cluster" | ternary "api engine ingest" "single" -}}
{{- end -}}
