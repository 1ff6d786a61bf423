import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/** usage: OpenSearchNode FOLDER HTTP_PORT TRANSPORT_PORT. A node without other modules, on 127.0.0.1. */
public final class OpenSearchNode extends Node {
  private OpenSearchNode(Environment environment, Collection<Class<? extends Plugin>> plugins) {
    super(environment, plugins, false);
  }

  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[0]);
    Settings settings = Settings.builder()
        .put("path.home", home)
        .put("path.data", home.resolve("data"))
        .put("path.logs", home.resolve("logs"))
        .put("network.host", "127.0.0.1")
        .put("http.port", args[1])
        .put("transport.port", args[2])
        .put("http.type", "netty4")
        .put("transport.type", "netty4")
        .put("discovery.type", "single-node")
        .put("cluster.routing.allocation.disk.threshold_enabled", false)
        .build();
    Environment environment =
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home.resolve("config"), () -> "weir");
    new OpenSearchNode(environment, List.of(Netty4Plugin.class)).start();
    System.out.println("OpenSearch is ready");
    new CountDownLatch(1).await();
  }
}
